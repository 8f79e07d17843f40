package io.zerorename.magic.job;

import io.zerorename.core.s3a.AuditLabels;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Stores that are closed with the piece of work for which they were opened.
 *
 * @param requests that were sent to them so far
 */
record OwnedStores(ObjectStores stores, Supplier<Map<RequestType, Long>> requests, Closeable owner)
    implements ObjectStores, Closeable {
  static OwnedStores s3a(JobContext context) {
    AuditLabels labels = AuditLabels.of(context.getConfiguration());
    // The driver of Spark SQL has no job id.
    if (context.getJobID() != null) {
      labels = labels.ofJob(context.getJobID().toString());
    }
    if (context instanceof TaskAttemptContext attempt) {
      labels = labels.ofTaskAttempt(attempt.getTaskAttemptID().toString());
    }
    S3AObjectStores stores = new S3AObjectStores(context.getConfiguration(), labels);
    return new OwnedStores(stores, stores::requests, stores);
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
