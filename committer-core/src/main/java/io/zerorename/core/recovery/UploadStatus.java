package io.zerorename.core.recovery;

/** What may be done with an upload. */
public enum UploadStatus {
  /** Its job is committed and not complete: to abort it loses a file. */
  COMMITTED("committed, not complete"),

  /** Its job was neither committed nor aborted: it may be running. */
  UNDECIDED("not decided, may be running"),

  /** Its job has ended without it: no process will complete it. */
  ORPHANED("orphaned"),

  /** Records that may say that it is committed cannot be read. */
  UNREADABLE("records cannot be read"),

  /** No record of the committer's names it: it may be of another program. */
  UNKNOWN("not known to us");

  private final String text;

  UploadStatus(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
