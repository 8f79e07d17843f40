package io.zerorename.hive.config;

/** What becomes of an INSERT whose small files Hive merges. */
public enum MergeMode {
  /** It keeps Hive's own path. */
  FALLBACK,
  /** Hive writes and merges on the scratch file system, and the committer uploads the result. */
  COMMIT
}
