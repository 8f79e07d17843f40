package io.zerorename.magic.job;

/** What a job does about files that are at its destination already. */
enum ConflictMode {
  /** Adds its files to them. */
  APPEND,
  /** Does not begin where there is one. */
  FAIL,
  /** Deletes them once all of its own files are there. */
  REPLACE
}
