package io.zerorename.core.store;

import java.util.stream.Stream;

/** The kinds of request that {@link ObjectStore} sends, as the store bills them. */
public enum RequestType {
  CREATE_UPLOAD("CreateMultipartUpload"),
  UPLOAD_PART("UploadPart"),
  COMPLETE_UPLOAD("CompleteMultipartUpload"),
  ABORT_UPLOAD("AbortMultipartUpload"),
  LIST_UPLOADS("ListMultipartUploads"),
  LIST_PARTS("ListParts"),
  PUT("PutObject"),
  GET("GetObject"),
  HEAD("HeadObject"),
  LIST("ListObjectsV2"),
  BULK_DELETE("DeleteObjects");

  private final String operation;

  RequestType(String operation) {
    this.operation = operation;
  }

  /** The type of an operation, by the name that S3 gives it. */
  public static RequestType of(String operation) {
    return Stream.of(values())
        .filter(type -> type.operation.equals(operation))
        .findFirst()
        .orElseThrow();
  }
}
