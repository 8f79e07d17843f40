package io.zerorename.hive;

import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;

/** Requests by which one sees how far the commit of an INSERT into dynamic partitions is. */
enum CommitStep {
  /** It reads the log. */
  READ(RequestType.LIST_OBJECTS_V2, "_zerorename/%s", "/log/"),
  LIST(RequestType.LIST_OBJECTS_V2, "%s/p=", ""),
  /** It takes a number; the first such request of a statement, for its marker has such a key. */
  DECIDE(RequestType.PUT_OBJECT, "_zerorename/%s", TableLog.ENTRY),
  COMPLETE(RequestType.COMPLETE_MULTIPART_UPLOAD, "%s/p=", ""),
  /** The same of a file that the commit itself has uploaded. */
  SMALL_FILE(RequestType.COMPLETE_MULTIPART_UPLOAD, "%s/p=", ""),
  /** Of old files; one deletes many, so none has a key. */
  DELETE(RequestType.DELETE_OBJECTS, "", ""),
  /** Its marker. */
  FINISH(RequestType.PUT_OBJECT, "_zerorename/%s", ".ended.");

  private final RequestType type;
  private final String place;
  private final String part;

  CommitStep(RequestType type, String place, String part) {
    this.type = type;
    this.place = place;
    this.part = part;
  }

  /** Whether a request is of this step of a commit to a table that is directly in its bucket. */
  boolean sends(S3Request request, String table) {
    String key = request.prefix().orElse(request.key());
    return request.type() == type
        && key.startsWith(place.replace("%s", table))
        && key.contains(part);
  }
}
