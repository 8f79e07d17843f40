package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The stores of one Hadoop configuration of its own, closed with all that they have opened. */
final class TestStores implements Closeable {
  private final Configuration configuration = new Configuration();
  private final S3AObjectStores stores;

  private TestStores(Map<String, String> settings) {
    settings.forEach(configuration::set);
    configuration.setBoolean("fs.s3a.impl.disable.cache", true);
    stores = new S3AObjectStores(configuration);
  }

  /** Repeats nothing, so that each call is one request, unless the settings say otherwise. */
  static TestStores with(Map<String, String> base, Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(base);
    all.put("zerorename.retry.time", "0");
    all.putAll(settings);
    return new TestStores(all);
  }

  ObjectStore of(String bucket) throws IOException {
    return stores.forPath(new Path("s3a://" + bucket + "/"));
  }

  S3AObjectStores stores() {
    return stores;
  }

  Configuration configuration() {
    return configuration;
  }

  @Override
  public void close() throws IOException {
    stores.close();
  }
}
