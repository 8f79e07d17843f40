package io.zerorename.hive.config;

/** What becomes of a statement that removes rows where the commit log cannot be read. */
public enum UnreadableLogMode {
  /** It fails, before it has removed anything. */
  FAIL,
  /** Hive runs it, with a warning. */
  IGNORE
}
