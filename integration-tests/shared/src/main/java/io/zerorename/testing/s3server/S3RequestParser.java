package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads from an HTTP head which S3 request it is; path-style addresses only. */
final class S3RequestParser {
  private S3RequestParser() {}

  static String method(HttpHead head) throws IOException {
    return words(head)[0];
  }

  static S3Request parse(HttpHead head) throws IOException {
    String[] words = words(head);
    String target = path(words[1]);
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    Map<String, String> query = query(question < 0 ? "" : target.substring(question + 1));

    String decoded = decodePath(path.startsWith("/") ? path.substring(1) : path);
    int slash = decoded.indexOf('/');
    String bucket = slash < 0 ? decoded : decoded.substring(0, slash);
    String key = slash < 0 ? "" : decoded.substring(slash + 1);
    Optional<String> copySource = head.header("x-amz-copy-source").map(S3RequestParser::source);

    return new S3Request(
        RequestType.of(words[0], bucket, key, query.keySet(), copySource.isPresent()),
        bucket,
        key,
        Optional.ofNullable(query.get("uploadId")),
        query.containsKey("partNumber")
            ? OptionalInt.of(Integer.parseInt(query.get("partNumber")))
            : OptionalInt.empty(),
        copySource,
        Optional.ofNullable(query.get("prefix")),
        head.headers());
  }

  /** The head as a server gets it: a client of a proxy names the server in the first line too. */
  static HttpHead withoutServer(HttpHead head) throws IOException {
    String[] words = words(head);
    return new HttpHead(words[0] + " " + path(words[1]) + " " + words[2], head.headerLines());
  }

  private static String path(String target) {
    if (!target.startsWith("http://")) {
      return target;
    }
    int slash = target.indexOf('/', "http://".length());
    return slash < 0 ? "/" : target.substring(slash);
  }

  private static String[] words(HttpHead head) throws IOException {
    String[] words = head.startLine().split(" ", 3);
    if (words.length != 3) {
      throw new IOException("not the first line of an HTTP request: " + head.startLine());
    }
    return words;
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
        int equals = pair.indexOf('=');
        query.put(
            URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), UTF_8),
            equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), UTF_8));
      }
    }
    return query;
  }

  /** A plus sign stands for itself in a path, unlike in a form. */
  private static String decodePath(String path) {
    return URLDecoder.decode(path.replace("+", "%2B"), UTF_8);
  }
}
