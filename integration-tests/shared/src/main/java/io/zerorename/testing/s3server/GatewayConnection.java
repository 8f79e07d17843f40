package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.http.Header;
import org.apache.http.HttpEntity;
import org.apache.http.HttpEntityEnclosingRequest;
import org.apache.http.HttpException;
import org.apache.http.HttpHeaders;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.HttpStatus;
import org.apache.http.HttpVersion;
import org.apache.http.entity.ByteArrayEntity;
import org.apache.http.impl.DefaultBHttpClientConnection;
import org.apache.http.impl.DefaultBHttpServerConnection;
import org.apache.http.message.BasicHttpResponse;
import org.apache.http.util.EntityUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the requests of one client connection, one after the other, until either side closes. */
final class GatewayConnection {
  static final int BUFFER = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(GatewayConnection.class);
  private static final HttpEntity NOTHING = new ByteArrayEntity(new byte[0]);

  /** A fault that keeps a client waiting ends with the connection, not with the process. */
  private volatile Thread thread;

  private final S3Gateway gateway;
  private final Socket socket;
  private final DefaultBHttpServerConnection client = new DefaultBHttpServerConnection(BUFFER);
  private final BackendConnection backend;
  private volatile boolean closed;
  private volatile boolean serving;

  /** Of the latest request, where a fault says so. */
  private byte[] answerToRepeat = {};

  GatewayConnection(S3Gateway gateway, Socket socket) {
    this.gateway = gateway;
    this.socket = socket;
    this.backend = new BackendConnection(gateway.backend());
  }

  void serve() {
    thread = Thread.currentThread();
    try (socket;
        backend) {
      socket.setTcpNoDelay(true);
      client.bind(socket);
      boolean open = true;
      while (open && !closed) {
        HttpRequest head = client.receiveRequestHeader();
        serving = true;
        open = serve(head);
        serving = false;
      }
    } catch (IOException | HttpException e) {
      // Clients and tests close connections as they like. Whoever waits for an answer sees it too.
      LOG.debug("connection from {} ended", socket.getRemoteSocketAddress(), e);
    }
  }

  /** Whether a request has come that is not answered yet. */
  boolean isServing() {
    return serving;
  }

  void close() {
    closed = true;
    try (socket;
        backend) {
      Thread serving = thread;
      if (serving != null) {
        serving.interrupt();
      }
    } catch (IOException e) {
      LOG.debug("connection from {} did not close cleanly", socket.getRemoteSocketAddress(), e);
    }
  }

  /** Returns whether the connection can carry another request. */
  private boolean serve(HttpRequest head) throws IOException, HttpException {
    HttpEntity body = NOTHING;
    if (head instanceof HttpEntityEnclosingRequest withBody) {
      client.receiveRequestEntity(withBody);
      body = withBody.getEntity();
    }
    socket.getOutputStream().write(answerToRepeat);
    answerToRepeat = new byte[0];
    S3Request request = S3RequestParser.parse(head, socket.getInetAddress().getHostAddress());
    Fault fault = gateway.arrived(request).orElse(null);
    Latency latency = gateway.latency();
    Pause.forNanos(latency.perRequest().toNanos());

    boolean continueExpected = head.containsHeader(HttpHeaders.EXPECT);
    if (fault instanceof Fault.Refuse refusal) {
      // A client that waits for 100 Continue may or may not send its body after a refusal.
      return refuse(refusal, request, continueExpected ? NOTHING : body, !continueExpected);
    } else if (fault instanceof Fault.CutBeforeForwarding cut) {
      return end(cut.reset());
    } else if (fault instanceof Fault.Delay delay) {
      Pause.forNanos(delay.duration().toNanos());
    }
    if (continueExpected) {
      client.sendResponseHeader(new BasicHttpResponse(HttpVersion.HTTP_1_1, 100, "Continue"));
      client.flush();
    }
    Optional<Fault.Refuse> refusal = Optional.empty();
    if (request.type() == RequestType.UPLOAD_PART) {
      refusal = gateway.checksums().refusalOfPart(request);
    } else if (request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD) {
      byte[] parts = EntityUtils.toByteArray(body);
      body = new ByteArrayEntity(parts);
      refusal = gateway.checksums().refusalOfComplete(request, parts);
    } else if (request.type() == RequestType.DELETE_OBJECTS) {
      byte[] keys = EntityUtils.toByteArray(body);
      body = new ByteArrayEntity(keys);
      gateway.uncounted().beforeBulkDelete(request.bucket(), keys);
    }
    if (refusal.isPresent()) {
      return refuse(refusal.get(), request, body, true);
    }

    long startNanos = System.nanoTime();
    CompletableFuture<Long> copySize = sizeOfSource(request);
    PassingBody passing = new PassingBody(body, latency.uploadBytesPerSecond());
    boolean whole = true;
    try {
      forward(head, request, passing);
    } catch (IOException e) {
      if (!backend.hasAnswered()) {
        throw e;
      }
      whole = false;
    }
    HttpResponse answer = backend.readAnswer(head.getRequestLine().getMethod());
    if (request.type().isCopy() && isSuccess(answer)) {
      long size = copySize.join();
      gateway.counters().copied(size);
      if (latency.copyBytesPerSecond().isPresent()) {
        long rate = latency.copyBytesPerSecond().getAsLong();
        Pause.until(startNanos + Pause.nanosFor(size, rate));
      }
    }
    note(request, passing, answer);
    if (fault instanceof Fault.OfAnswer ofAnswer) {
      return strike(ofAnswer, answer);
    }
    boolean endsWithConnection =
        answer.getEntity() != null
            && !answer.containsHeader(HttpHeaders.CONTENT_LENGTH)
            && !answer.containsHeader(HttpHeaders.TRANSFER_ENCODING);
    send(answer, client);
    return whole && !endsWithConnection && !closes(answer);
  }

  private void forward(HttpRequest head, S3Request request, PassingBody body)
      throws IOException, HttpException {
    DefaultBHttpClientConnection server = backend.begin();
    HttpEntityEnclosingRequest forServer = gateway.forwarded(head);
    server.sendRequestHeader(forServer);
    forServer.setEntity(body);
    server.sendRequestEntity(forServer);
    server.flush();
    if (request.type() == RequestType.PUT_OBJECT || request.type() == RequestType.UPLOAD_PART) {
      // A body that the client signs in chunks is longer than what it stores.
      Header decoded = head.getFirstHeader("x-amz-decoded-content-length");
      gateway
          .counters()
          .uploaded(decoded == null ? body.moved() : Long.parseLong(decoded.getValue()));
    }
  }

  /** What the gateway keeps of an answer, and what it changes. */
  private void note(S3Request request, PassingBody sent, HttpResponse answer) throws IOException {
    HttpEntity content = answer.getEntity();
    if (request.type() == RequestType.UPLOAD_PART && isSuccess(answer)) {
      gateway.checksums().uploaded(request, sent.end()).ifPresent(answer::addHeader);
    } else if (request.type() == RequestType.CREATE_MULTIPART_UPLOAD && content != null) {
      byte[] created = EntityUtils.toByteArray(content);
      gateway.checksums().created(request, created);
      answer.setEntity(new ByteArrayEntity(created));
    } else if (request.type() == RequestType.GET_OBJECT && content != null) {
      gateway.counters().downloaded(Math.max(0, content.getContentLength()));
    }
    gateway.serverName().ifPresent(name -> answer.setHeader(HttpHeaders.SERVER, name));
  }

  /** Returns whether the connection can carry another request. */
  private boolean strike(Fault.OfAnswer fault, HttpResponse answer)
      throws IOException, HttpException {
    // Its end is the end of the server's work.
    byte[] bytes = bytes(answer);
    if (fault instanceof Fault.RunInsteadOfAnswer run) {
      run.action().run();
    } else if (fault instanceof Fault.RunBeforeAnswer run) {
      run.action().run();
      socket.getOutputStream().write(bytes);
      return true;
    } else if (fault instanceof Fault.SwallowAnswer) {
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } else if (fault instanceof Fault.CutAnswer cut) {
      socket.getOutputStream().write(bytes, 0, (int) Math.min(bytes.length, cut.afterBytes()));
      return end(cut.reset());
    } else {
      socket.getOutputStream().write(bytes);
      answerToRepeat = bytes;
      return true;
    }
    return false;
  }

  private boolean end(boolean reset) throws IOException {
    if (reset) {
      socket.setSoLinger(true, 0);
    }
    return false;
  }

  private byte[] bytes(HttpResponse answer) throws IOException, HttpException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DefaultBHttpServerConnection nobody =
        new DefaultBHttpServerConnection(BUFFER) {
          @Override
          protected OutputStream getSocketOutputStream(Socket socket) {
            return bytes;
          }
        };
    nobody.bind(socket);
    send(answer, nobody);
    return bytes.toByteArray();
  }

  private static void send(HttpResponse answer, DefaultBHttpServerConnection to)
      throws IOException, HttpException {
    to.sendResponseHeader(answer);
    to.sendResponseEntity(answer);
    to.flush();
  }

  /** Returns whether the connection can carry another request. */
  private boolean refuse(Fault.Refuse refusal, S3Request request, HttpEntity body, boolean reusable)
      throws IOException, HttpException {
    EntityUtils.consume(body);
    HttpResponse answer =
        new BasicHttpResponse(HttpVersion.HTTP_1_1, refusal.status(), refusal.code());
    byte[] content =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>"
                + refusal.code()
                + "</Code><Message>"
                + refusal.message()
                + "</Message><RequestId>gateway</RequestId></Error>")
            .getBytes(UTF_8);
    if (request.type() != RequestType.HEAD_OBJECT && request.type() != RequestType.HEAD_BUCKET) {
      answer.setEntity(new ByteArrayEntity(content));
    }
    long length = answer.getEntity() == null ? 0 : content.length;
    answer.setHeader(HttpHeaders.CONTENT_TYPE, "application/xml");
    answer.setHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
    answer.setHeader("x-amz-request-id", "gateway");
    answer.setHeader(HttpHeaders.CONNECTION, reusable ? "keep-alive" : "close");
    send(answer, client);
    return reusable;
  }

  private static boolean isSuccess(HttpResponse answer) {
    return answer.getStatusLine().getStatusCode() == HttpStatus.SC_OK;
  }

  private static boolean closes(HttpResponse answer) {
    Header connection = answer.getFirstHeader(HttpHeaders.CONNECTION);
    return connection != null && connection.getValue().equalsIgnoreCase("close");
  }

  private CompletableFuture<Long> sizeOfSource(S3Request request) {
    String source = request.copySource().orElse("");
    int slash = source.indexOf('/');
    return slash < 0
        ? CompletableFuture.completedFuture(0L)
        : gateway.uncounted().sizeOf(source.substring(0, slash), source.substring(slash + 1));
  }
}
