package io.zerorename.core.store;

/** The kinds of request that {@link ObjectStore} sends, as the store bills them. */
public enum RequestType {
  CREATE_UPLOAD,
  UPLOAD_PART,
  COMPLETE_UPLOAD,
  ABORT_UPLOAD,
  LIST_UPLOADS,
  LIST_PARTS,
  PUT,
  GET,
  HEAD,
  LIST,
  BULK_DELETE,
  GET_LIFECYCLE
}
