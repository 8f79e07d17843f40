package io.zerorename.hive;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.MetaStoreEndFunctionContext;
import org.apache.hadoop.hive.metastore.MetaStoreEndFunctionListener;
import org.apache.hadoop.hive.ql.metadata.Hive;

/** Counts the requests that a metastore has answered. */
public final class MetastoreCalls extends MetaStoreEndFunctionListener {
  private static final Map<String, Integer> COUNTS = new ConcurrentHashMap<>();

  /** For the metastore. */
  public MetastoreCalls(Configuration configuration) {
    super(configuration);
  }

  /** Makes the session's metastore one that counts. */
  static void install(HiveOnS3 s3) {
    s3.hive().set("hive.metastore.end.function.listeners", MetastoreCalls.class.getName());
    // The next statement makes a client, and with it a metastore, of the new setting.
    Hive.closeCurrent();
    reset();
  }

  static void reset() {
    COUNTS.clear();
  }

  static int of(String function) {
    return COUNTS.getOrDefault(function, 0);
  }

  @Override
  public void onEndFunction(String function, MetaStoreEndFunctionContext context) {
    COUNTS.merge(function, 1, Integer::sum);
  }
}
