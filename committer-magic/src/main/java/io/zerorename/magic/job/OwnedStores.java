package io.zerorename.magic.job;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Stores that are closed with the piece of work for which they were opened. */
record OwnedStores(ObjectStores stores, Closeable owner) implements ObjectStores, Closeable {
  /** Opens stores with the settings of a job. */
  @FunctionalInterface
  interface Opener {
    OwnedStores on(Configuration conf);
  }

  static OwnedStores s3a(Configuration conf) {
    S3AObjectStores stores = new S3AObjectStores(conf);
    return new OwnedStores(stores, stores);
  }

  @Override
  public ObjectStore forPath(Path path) throws IOException {
    return stores.forPath(path);
  }

  @Override
  public void close() throws IOException {
    owner.close();
  }
}
