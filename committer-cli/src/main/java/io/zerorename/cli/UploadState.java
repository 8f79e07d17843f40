package io.zerorename.cli;

/** What the commit logs say of a pending upload. */
enum UploadState {
  /** The entry that commits it is open: to abort it loses a file. */
  COMMITTED("committed, not complete"),

  /** The log has no entry of its job: it may be running, or was killed. */
  UNDECIDED("not decided, may be running"),

  /** Its job has ended without it, or is committed without it: no process will complete it. */
  ORPHANED("orphaned"),

  /** Records that may say that it is committed cannot be read. */
  UNREADABLE("records cannot be read"),

  /** Its key has no id of a job, or no commit log is where one of its job would be. */
  UNKNOWN("not known to us");

  private final String text;

  UploadState(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }
}
