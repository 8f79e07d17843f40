package io.zerorename.hive.config;

/** What becomes of an INSERT whose tasks run in LLAP's daemons. */
public enum LlapMode {
  /** It keeps Hive's own path, which does not need the committer's jar there. */
  FALLBACK,
  /** The committer writes it, because each daemon has its jar. */
  COMMIT
}
