package io.zerorename.hive.config;

/** What becomes of an INSERT OVERWRITE whose old files Hive would move to Trash. */
public enum TrashMode {
  /** It keeps Hive's own path, which moves them. */
  FALLBACK,
  /** The committer deletes them for good. */
  DELETE
}
