package io.zerorename.core.s3a;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.GET_OBJECT;
import static io.zerorename.testing.s3server.RequestType.HEAD_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.LIST_PARTS;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Something that is asked of a store by one request.
 *
 * @param type as which it arrives
 */
record StoreRequest(RequestType type, Call call) {
  private static final RepeatableBody BODY = RepeatableBody.of("body".getBytes(UTF_8));
  private static final Map<String, String> METADATA = Map.of("owner", "me");

  /** All that there are, on the object {@code k}. */
  static final List<StoreRequest> ALL =
      List.of(
          new StoreRequest(CREATE_MULTIPART_UPLOAD, store -> store.createUpload("k", METADATA)),
          new StoreRequest(UPLOAD_PART, store -> store.uploadPart("k", "id", 1, BODY)),
          new StoreRequest(
              COMPLETE_MULTIPART_UPLOAD,
              store -> store.completeUpload("k", "id", List.of(new UploadedPart(1, "\"e\"", 4)))),
          new StoreRequest(
              COMPLETE_MULTIPART_UPLOAD,
              store ->
                  store.completeUploadIfAbsent(
                      "k", "id", List.of(new UploadedPart(1, "\"e\"", 4)))),
          new StoreRequest(ABORT_MULTIPART_UPLOAD, store -> store.abortUpload("k", "id")),
          new StoreRequest(
              LIST_MULTIPART_UPLOADS, store -> RemoteIterators.toList(store.listUploads("k"))),
          new StoreRequest(LIST_PARTS, store -> store.listParts("k", "id")),
          new StoreRequest(PUT_OBJECT, store -> store.putObject("k", BODY, METADATA)),
          new StoreRequest(PUT_OBJECT, store -> store.putObjectIfAbsent("k", BODY, METADATA)),
          new StoreRequest(GET_OBJECT, store -> store.getObject("k")),
          new StoreRequest(HEAD_OBJECT, store -> store.headObject("k")),
          new StoreRequest(
              LIST_OBJECTS_V2, store -> RemoteIterators.toList(store.listObjects("k"))),
          new StoreRequest(DELETE_OBJECTS, store -> store.deleteObjects(List.of("k"))));

  @FunctionalInterface
  interface Call {
    void on(ObjectStore store) throws IOException;
  }

  void sendTo(ObjectStore store) throws IOException {
    call.on(store);
  }
}
