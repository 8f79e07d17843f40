package io.zerorename.core.config;

/** What becomes of an overwrite where others have changed what it replaces since it began. */
public enum Conflict {
  /** It replaces that too: of two jobs the later in the log wins. */
  ORDER,
  /** It fails before it replaces anything. */
  FAIL
}
