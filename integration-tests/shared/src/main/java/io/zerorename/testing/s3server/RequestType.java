package io.zerorename.testing.s3server;

import java.util.Set;

/** The kinds of S3 request that are counted apart, under the names of the S3 API. */
public enum RequestType {
  CREATE_MULTIPART_UPLOAD("CreateMultipartUpload"),
  UPLOAD_PART("UploadPart"),
  COMPLETE_MULTIPART_UPLOAD("CompleteMultipartUpload"),
  ABORT_MULTIPART_UPLOAD("AbortMultipartUpload"),
  LIST_MULTIPART_UPLOADS("ListMultipartUploads"),
  LIST_PARTS("ListParts"),
  PUT_OBJECT("PutObject"),
  COPY_OBJECT("CopyObject"),
  UPLOAD_PART_COPY("UploadPartCopy"),
  GET_OBJECT("GetObject"),
  HEAD_OBJECT("HeadObject"),
  HEAD_BUCKET("HeadBucket"),
  DELETE_OBJECT("DeleteObject"),
  DELETE_OBJECTS("DeleteObjects"),
  LIST_OBJECTS_V2("ListObjectsV2"),
  LIST_OBJECTS("ListObjects"),
  GET_BUCKET_LIFECYCLE("GetBucketLifecycleConfiguration"),
  OTHER("Other");

  /** Query parameters that turn a request for an object or a bucket into one about its settings. */
  private static final Set<String> SETTINGS =
      Set.of(
          "accelerate",
          "acl",
          "attributes",
          "cors",
          "encryption",
          "legal-hold",
          "lifecycle",
          "location",
          "logging",
          "notification",
          "object-lock",
          "policy",
          "replication",
          "restore",
          "retention",
          "select",
          "tagging",
          "versioning",
          "versions",
          "website");

  private final String apiName;

  RequestType(String apiName) {
    this.apiName = apiName;
  }

  /** The operation's name in the S3 API reference, such as {@code UploadPart}. */
  public String apiName() {
    return apiName;
  }

  /** True for the two requests by which a server copies an object's bytes. */
  public boolean isCopy() {
    return this == COPY_OBJECT || this == UPLOAD_PART_COPY;
  }

  /**
   * The type of a path-style request.
   *
   * @param bucket empty for a request to the service
   * @param key empty for a request to a bucket
   * @param query the names of the query's parameters
   * @param copySource whether the request names an object to copy from
   */
  static RequestType of(
      String method, String bucket, String key, Set<String> query, boolean copySource) {
    if (key.isEmpty() && method.equals("GET") && query.contains("lifecycle")) {
      return GET_BUCKET_LIFECYCLE;
    }
    if (bucket.isEmpty() || query.stream().anyMatch(SETTINGS::contains)) {
      return OTHER;
    }
    return key.isEmpty() ? ofBucket(method, query) : ofObject(method, query, copySource);
  }

  private static RequestType ofBucket(String method, Set<String> query) {
    return switch (method) {
      case "HEAD" -> HEAD_BUCKET;
      case "POST" -> query.contains("delete") ? DELETE_OBJECTS : OTHER;
      case "GET" -> {
        if (query.contains("uploads")) {
          yield LIST_MULTIPART_UPLOADS;
        }
        yield query.contains("list-type") ? LIST_OBJECTS_V2 : LIST_OBJECTS;
      }
      default -> OTHER;
    };
  }

  private static RequestType ofObject(String method, Set<String> query, boolean copySource) {
    boolean ofUpload = query.contains("uploadId");
    return switch (method) {
      case "HEAD" -> HEAD_OBJECT;
      case "GET" -> ofUpload ? LIST_PARTS : GET_OBJECT;
      case "DELETE" -> ofUpload ? ABORT_MULTIPART_UPLOAD : DELETE_OBJECT;
      case "PUT" -> {
        if (ofUpload) {
          yield copySource ? UPLOAD_PART_COPY : UPLOAD_PART;
        }
        yield copySource ? COPY_OBJECT : PUT_OBJECT;
      }
      case "POST" -> {
        if (ofUpload) {
          yield COMPLETE_MULTIPART_UPLOAD;
        }
        yield query.contains("uploads") ? CREATE_MULTIPART_UPLOAD : OTHER;
      }
      default -> OTHER;
    };
  }

  @Override
  public String toString() {
    return apiName;
  }
}
