package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the requests of one client connection, one after the other, until either side closes. */
final class GatewayConnection {
  private static final Logger LOG = LoggerFactory.getLogger(GatewayConnection.class);

  /** A fault that keeps a client waiting ends with the connection, not with the process. */
  private volatile Thread thread;

  private final S3Gateway gateway;
  private final Socket client;
  private final BackendConnection backend;
  private volatile boolean closed;
  private volatile boolean serving;

  /** Of the latest request. */
  private byte[] bodyEnd = {};

  GatewayConnection(S3Gateway gateway, Socket client) {
    this.gateway = gateway;
    this.client = client;
    this.backend = new BackendConnection(gateway.backend());
  }

  void serve() {
    thread = Thread.currentThread();
    try (client;
        backend) {
      client.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(client.getInputStream(), 64 * 1024);
      OutputStream out = new BufferedOutputStream(client.getOutputStream(), 64 * 1024);
      boolean open = true;
      while (open && !closed) {
        Optional<HttpHead> head = HttpHead.read(in);
        serving = true;
        open = head.isPresent() && serve(S3RequestParser.withoutServer(head.get()), in, out);
        out.flush();
        serving = false;
      }
    } catch (IOException e) {
      // Clients and tests close connections as they like. Whoever waits for an answer sees it too.
      LOG.debug("connection from {} ended", client.getRemoteSocketAddress(), e);
    }
  }

  /** Whether a request has come that is not answered yet. */
  boolean isServing() {
    return serving;
  }

  void close() {
    closed = true;
    try (client;
        backend) {
      Thread serving = thread;
      if (serving != null) {
        serving.interrupt();
      }
    } catch (IOException e) {
      LOG.debug("connection from {} did not close cleanly", client.getRemoteSocketAddress(), e);
    }
  }

  /** Returns whether the connection can carry another request. */
  private boolean serve(HttpHead head, InputStream in, OutputStream out) throws IOException {
    S3Request request = S3RequestParser.parse(head);
    Optional<Fault> fault = gateway.arrived(request);
    Latency latency = gateway.latency();
    Pause.forNanos(latency.perRequest().toNanos());

    if (fault.isPresent()) {
      if (fault.get() instanceof Fault.Refuse refusal) {
        return refuse(refusal, request, head, in, out);
      } else if (fault.get() instanceof Fault.CutBeforeForwarding) {
        return false;
      } else if (fault.get() instanceof Fault.CutInBody cut) {
        forwardSomeOfBody(head, in, out, cut.afterBytes());
        return false;
      } else if (fault.get() instanceof Fault.Delay delay) {
        Pause.forNanos(delay.duration().toNanos());
      }
    }
    InputStream body = in;
    Optional<Fault.Refuse> refusal = Optional.empty();
    if (request.type() == RequestType.UPLOAD_PART) {
      refusal = gateway.checksums().refusalOfPart(request);
    } else if (request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD) {
      ByteArrayOutputStream parts = new ByteArrayOutputStream();
      copyBody(head, in, parts, new HttpBody(OptionalLong.empty()));
      body = new ByteArrayInputStream(parts.toByteArray());
      refusal = gateway.checksums().refusalOfComplete(request, parts.toByteArray());
    }
    if (refusal.isPresent()) {
      return refuse(refusal.get(), request, head, body, out);
    }
    Optional<Runnable> insteadOfAnswer = insteadOfAnswer(fault);

    long startNanos = System.nanoTime();
    CompletableFuture<Long> copySize = sizeOfSource(request);
    boolean whole = true;
    try {
      forward(request, head, body, out, latency);
    } catch (IOException e) {
      if (!backend.hasAnswered()) {
        throw e;
      }
      whole = false;
    }
    HttpHead answer = withChecksum(request, backend.readAnswer());
    if (request.type().isCopy() && answer.status() == 200) {
      long size = copySize.join();
      gateway.counters().copied(size);
      if (latency.copyBytesPerSecond().isPresent()) {
        long rate = latency.copyBytesPerSecond().getAsLong();
        Pause.until(startNanos + Pause.nanosFor(size, rate));
      }
    }
    if (insteadOfAnswer.isPresent()) {
      // Its end is the end of the server's work.
      carryBack(request, S3RequestParser.method(head), answer, OutputStream.nullOutputStream());
      insteadOfAnswer.get().run();
      return false;
    }
    return carryBack(request, S3RequestParser.method(head), answer, out) && whole;
  }

  private static Optional<Runnable> insteadOfAnswer(Optional<Fault> fault) {
    return fault.flatMap(
        what -> {
          if (what instanceof Fault.LoseAnswer) {
            return Optional.of(() -> {});
          }
          return what instanceof Fault.RunInsteadOfAnswer run
              ? Optional.of(run.action())
              : Optional.empty();
        });
  }

  private HttpHead withChecksum(S3Request request, HttpHead answer) throws IOException {
    return request.type() == RequestType.UPLOAD_PART && answer.status() == 200
        ? gateway.checksums().uploaded(request, bodyEnd).map(answer::with).orElse(answer)
        : answer;
  }

  private void forward(
      S3Request request, HttpHead head, InputStream in, OutputStream out, Latency latency)
      throws IOException {
    OutputStream toBackend = backend.begin();
    boolean continueExpected = head.headerHas("Expect", "100-continue");
    toBackend.write(gateway.forwarded(head).toBytes());
    if (continueExpected) {
      out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
      out.flush();
    }
    HttpBody body = new HttpBody(latency.uploadBytesPerSecond());
    if (request.type() == RequestType.DELETE_OBJECTS) {
      ByteArrayOutputStream keys = new ByteArrayOutputStream();
      copyBody(head, in, keys, body);
      gateway.uncounted().beforeBulkDelete(request.bucket(), keys.toByteArray());
      keys.writeTo(toBackend);
    } else {
      EndOfStream end = new EndOfStream(toBackend, PartChecksums.TRAILER_BYTES);
      copyBody(head, in, end, body);
      bodyEnd = end.bytes();
    }
    toBackend.flush();
    if (request.type() == RequestType.PUT_OBJECT || request.type() == RequestType.UPLOAD_PART) {
      // A body that the client signs in chunks is longer than what it stores.
      gateway
          .counters()
          .uploaded(
              head.header("x-amz-decoded-content-length")
                  .map(Long::parseLong)
                  .orElse(body.moved()));
    }
  }

  private void forwardSomeOfBody(HttpHead head, InputStream in, OutputStream out, long bytes)
      throws IOException {
    OutputStream toBackend = backend.begin();
    toBackend.write(gateway.forwarded(head).toBytes());
    if (head.headerHas("Expect", "100-continue")) {
      out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
      out.flush();
    }
    long length = Math.min(bytes, head.contentLength().orElse(0));
    new HttpBody(OptionalLong.empty()).copyLength(in, toBackend, length);
    toBackend.flush();
  }

  private boolean carryBack(S3Request request, String method, HttpHead answer, OutputStream out)
      throws IOException {
    boolean bodyToEnd = false;
    HttpBody body = new HttpBody(OptionalLong.empty());
    boolean empty = method.equals("HEAD") || answer.status() == 204 || answer.status() == 304;
    out.write(gateway.returned(answer).toBytes());
    if (!empty) {
      bodyToEnd = !answer.isChunked() && answer.contentLength().isEmpty();
      if (request.type() == RequestType.GET_OBJECT && answer.contentLength().isPresent()) {
        gateway.counters().downloaded(answer.contentLength().getAsLong());
      }
      if (bodyToEnd) {
        body.copyToEnd(backend.in(), out);
      } else {
        ByteArrayOutputStream created = new ByteArrayOutputStream();
        boolean creates = request.type() == RequestType.CREATE_MULTIPART_UPLOAD;
        copyBody(answer, backend.in(), creates ? created : out, body);
        gateway.checksums().created(request, created.toByteArray());
        created.writeTo(out);
      }
    }
    out.flush();
    return !bodyToEnd && !answer.headerHas("Connection", "close");
  }

  private static void copyBody(HttpHead head, InputStream in, OutputStream out, HttpBody body)
      throws IOException {
    if (head.isChunked()) {
      body.copyChunks(in, out);
    } else {
      body.copyLength(in, out, head.contentLength().orElse(0));
    }
  }

  private static boolean refuse(
      Fault.Refuse refusal, S3Request request, HttpHead head, InputStream in, OutputStream out)
      throws IOException {
    // A client that waits for 100 Continue may or may not send its body after a refusal, so such a
    // connection cannot be used again.
    boolean bodyOutstanding = head.headerHas("Expect", "100-continue");
    if (!bodyOutstanding) {
      copyBody(head, in, OutputStream.nullOutputStream(), new HttpBody(OptionalLong.empty()));
    }
    byte[] body =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                + refusal.code()
                + "</Code><Message>"
                + refusal.message()
                + "</Message><RequestId>gateway</RequestId></Error>")
            .getBytes(UTF_8);
    boolean withBody =
        request.type() != RequestType.HEAD_OBJECT && request.type() != RequestType.HEAD_BUCKET;
    HttpHead answer =
        new HttpHead(
            "HTTP/1.1 " + refusal.status() + " " + refusal.code(),
            List.of(
                "Content-Type: application/xml",
                "Content-Length: " + (withBody ? body.length : 0),
                "x-amz-request-id: gateway",
                "Connection: " + (bodyOutstanding ? "close" : "keep-alive")));
    out.write(answer.toBytes());
    if (withBody) {
      out.write(body);
    }
    out.flush();
    return !bodyOutstanding;
  }

  private CompletableFuture<Long> sizeOfSource(S3Request request) {
    String source = request.copySource().orElse("");
    int slash = source.indexOf('/');
    return slash < 0
        ? CompletableFuture.completedFuture(0L)
        : gateway.uncounted().sizeOf(source.substring(0, slash), source.substring(slash + 1));
  }
}
