package io.zerorename.hive.config;

/** What becomes of an INSERT that the committer does not cover. */
public enum FallbackMode {
  /** Hive's own path writes it, by renames. */
  RENAME,
  /** It fails when it is compiled, before anything is written. */
  FAIL
}
