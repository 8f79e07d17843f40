package io.zerorename.core.commit;

import io.zerorename.testing.InMemoryObjectStore.Variant;

/**
 * Where a job runs in which calls go wrong.
 *
 * @param clusterGone whether the recovery finds nothing of the cluster file system
 */
record FaultSetting(
    JobKind job, String store, Variant variant, boolean logOnFileSystem, boolean clusterGone) {
  @Override
  public String toString() {
    return job
        + " on "
        + store
        + (logOnFileSystem ? ", log on the file system" : "")
        + (clusterGone ? ", cluster gone" : "");
  }
}
