package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * Keeps the headers of every request and answers each with bytes that the test has chosen, for what
 * the embedded server does not do: encryption with keys, and errors within an answer of status 200.
 */
public final class CannedS3 implements Closeable {
  /** An answer that the SDK can read as that of Create and of Complete. */
  static final String ANY_RESULT =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Result><Bucket>b</Bucket><Name>b</Name><Key>k</Key>"
          + "<UploadId>id</UploadId><ETag>&quot;e&quot;</ETag></Result>";

  static {
    // Or each answer waits 40 ms for the client's acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final List<Request> received = new CopyOnWriteArrayList<>();
  private final int status;
  private final UnaryOperator<String> answer;
  private volatile boolean withEtag = true;

  private record Request(String path, Headers headers, String body) {}

  /** Answers all requests alike. */
  public CannedS3(int status, String answer) throws IOException {
    this(status, query -> answer);
  }

  /** Answers by a request's query string, which is empty where there is none. */
  CannedS3(int status, UnaryOperator<String> answer) throws IOException {
    this.status = status;
    this.answer = answer;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  CannedS3 withoutEtag() {
    withEtag = false;
    return this;
  }

  public Map<String, String> hadoopSettings() {
    return Map.of(
        "fs.s3a.endpoint", "http://127.0.0.1:" + port(),
        "fs.s3a.endpoint.region", "us-east-1",
        "fs.s3a.path.style.access", "true",
        "fs.s3a.connection.ssl.enabled", "false",
        "fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "fs.s3a.access.key", "key",
        "fs.s3a.secret.key", "secret");
  }

  int requests() {
    return received.size();
  }

  /** The value of a header of the latest request, or null. */
  String lastHeader(String name) {
    return last().headers().getFirst(name);
  }

  /** The path of the latest request, whether it came with a host as to a proxy or without. */
  String lastPath() {
    return last().path();
  }

  /** The body of the latest request. */
  String lastBody() {
    return last().body();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private Request last() {
    return received.get(received.size() - 1);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String sent = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      received.add(
          new Request(exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), sent));
      String query = exchange.getRequestURI().getQuery();
      byte[] body = answer.apply(query == null ? "" : query).getBytes(UTF_8);
      if (withEtag) {
        exchange.getResponseHeaders().add("ETag", "\"e\"");
      }
      if ("HEAD".equals(exchange.getRequestMethod())) {
        exchange.getResponseHeaders().add("Content-Length", Integer.toString(body.length));
        exchange.sendResponseHeaders(status, -1);
        return;
      }
      exchange.sendResponseHeaders(status, body.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }
}
