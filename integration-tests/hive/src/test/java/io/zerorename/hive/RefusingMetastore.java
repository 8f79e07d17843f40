package io.zerorename.hive;

import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.MetaStorePreEventListener;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.events.PreAddPartitionEvent;
import org.apache.hadoop.hive.metastore.events.PreEventContext;
import org.apache.hadoop.hive.metastore.events.PreEventContext.PreEventType;
import org.apache.hadoop.hive.ql.metadata.Hive;

/** A metastore that refuses requests of some kind, while a test says so. */
public final class RefusingMetastore extends MetaStorePreEventListener {
  static final String MESSAGE = "refused by the test";
  private static volatile Predicate<PreEventContext> refused = event -> false;

  /** For the metastore. */
  public RefusingMetastore(Configuration configuration) {
    super(configuration);
  }

  /** Makes the session's metastore one that can refuse. */
  static void install(HiveOnS3 s3) {
    refused = event -> false;
    s3.hive().set("hive.metastore.pre.event.listeners", RefusingMetastore.class.getName());
    // The next statement makes a client, and with it a metastore, of the new setting.
    Hive.closeCurrent();
  }

  static void refuse(PreEventType type) {
    refused = event -> event.getEventType() == type;
  }

  /** As a database does that cannot take a value; it takes the partitions beside it. */
  static void refusePartition(String value) {
    refused =
        event ->
            event instanceof PreAddPartitionEvent added
                && added.getPartitions().stream()
                    .anyMatch(partition -> partition.getValues().contains(value));
  }

  static void refuseNothing() {
    refused = event -> false;
  }

  @Override
  public void onEvent(PreEventContext context) throws MetaException {
    if (refused.test(context)) {
      throw new MetaException(MESSAGE);
    }
  }
}
