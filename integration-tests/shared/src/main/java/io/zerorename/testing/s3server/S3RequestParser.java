package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.apache.http.Header;
import org.apache.http.HttpEntityEnclosingRequest;
import org.apache.http.HttpRequest;
import org.apache.http.RequestLine;
import org.apache.http.message.BasicHttpEntityEnclosingRequest;

/** Reads from an HTTP head which S3 request it is; path-style addresses only. */
final class S3RequestParser {
  private S3RequestParser() {}

  /**
   * @param client the address of the host that has sent it
   */
  static S3Request parse(HttpRequest head, String client) {
    String target = path(head.getRequestLine().getUri());
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    Map<String, String> query = query(question < 0 ? "" : target.substring(question + 1));

    String decoded = decodePath(path.startsWith("/") ? path.substring(1) : path);
    int slash = decoded.indexOf('/');
    String bucket = slash < 0 ? decoded : decoded.substring(0, slash);
    String key = slash < 0 ? "" : decoded.substring(slash + 1);
    Map<String, String> headers =
        Arrays.stream(head.getAllHeaders())
            .collect(
                Collectors.toMap(
                    header -> header.getName().toLowerCase(Locale.ROOT),
                    Header::getValue,
                    (first, second) -> first));
    Optional<String> copySource =
        Optional.ofNullable(headers.get("x-amz-copy-source")).map(S3RequestParser::source);

    return new S3Request(
        RequestType.of(
            head.getRequestLine().getMethod(), bucket, key, query.keySet(), copySource.isPresent()),
        bucket,
        key,
        Optional.ofNullable(query.get("uploadId")),
        query.containsKey("partNumber")
            ? OptionalInt.of(Integer.parseInt(query.get("partNumber")))
            : OptionalInt.empty(),
        copySource,
        Optional.ofNullable(query.get("prefix")),
        headers,
        client);
  }

  /** The head as a server gets it: a client of a proxy names the server in the first line too. */
  static HttpEntityEnclosingRequest withoutServer(HttpRequest head) {
    RequestLine line = head.getRequestLine();
    HttpEntityEnclosingRequest forServer =
        new BasicHttpEntityEnclosingRequest(
            line.getMethod(), path(line.getUri()), line.getProtocolVersion());
    forServer.setHeaders(head.getAllHeaders());
    return forServer;
  }

  private static String path(String target) {
    if (!target.startsWith("http://")) {
      return target;
    }
    int slash = target.indexOf('/', "http://".length());
    return slash < 0 ? "/" : target.substring(slash);
  }

  private static String source(String header) {
    int version = header.indexOf("?versionId=");
    String decoded = decodePath(version < 0 ? header : header.substring(0, version));
    return decoded.startsWith("/") ? decoded.substring(1) : decoded;
  }

  private static Map<String, String> query(String text) {
    Map<String, String> query = new HashMap<>();
    for (String pair : text.split("&", -1)) {
      if (!pair.isEmpty()) {
        String[] words = pair.split("=", 2);
        query.put(
            URLDecoder.decode(words[0], UTF_8),
            words.length == 1 ? "" : URLDecoder.decode(words[1], UTF_8));
      }
    }
    return query;
  }

  /** A plus sign stands for itself in a path, unlike in a form. */
  private static String decodePath(String path) {
    return URLDecoder.decode(path.replace("+", "%2B"), UTF_8);
  }
}
