package io.zerorename.core.commit;

import java.util.Locale;

/**
 * The stages of a job commit, in their order. Reports, log lines and documentation name them so.
 */
public enum CommitStage {
  /** Lists the commit log: which entries an overwrite has to follow. */
  READ_LOG,
  /** Reads the manifests of the chosen task attempts. */
  LOAD_MANIFESTS,
  /** Lists the old objects that an overwrite replaces. */
  PLAN,
  /** Writes the rest of the plan, and lists the uploads. */
  WRITE_PLAN,
  /** Writes the entry. */
  DECIDE,
  /** Writes small files and completes uploads. */
  COMPLETE,
  /** Finalizes the files of followed entries, and deletes these and old objects. */
  REPLACE,
  /** Writes markers of directories that are empty now. */
  PUBLISH,
  /** Aborts uploads of attempts that were not chosen. */
  CLEAN_UP;

  /** In a sentence. */
  String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
