package io.zerorename.testing.s3server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The requests that arrived at a gateway while this was open, in the order of their arrival. */
public final class RequestRecording implements AutoCloseable {
  private final List<S3Request> requests = new CopyOnWriteArrayList<>();
  private final Consumer<RequestRecording> onClose;

  RequestRecording(Consumer<RequestRecording> onClose) {
    this.onClose = onClose;
  }

  void add(S3Request request) {
    requests.add(request);
  }

  public List<S3Request> requests() {
    return List.copyOf(requests);
  }

  /** The keys of requests of one type, in the order of arrival. */
  public List<String> keys(RequestType type) {
    return requests.stream().filter(request -> request.type() == type).map(S3Request::key).toList();
  }

  @Override
  public void close() {
    onClose.accept(this);
  }
}
