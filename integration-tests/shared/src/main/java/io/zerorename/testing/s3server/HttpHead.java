package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The start line and header lines of an HTTP/1.1 message, kept as they came, so that a signature
 * over them still verifies when they are sent on.
 */
record HttpHead(String startLine, List<String> headerLines) {

  private static final int LARGEST = 256 * 1024;

  HttpHead {
    headerLines = List.copyOf(headerLines);
  }

  /**
   * Reads up to and including the empty line; empty where the peer closed before the first byte.
   */
  static Optional<HttpHead> read(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    int size = 0;
    while (true) {
      Optional<String> line = readLine(in);
      if (line.isEmpty()) {
        if (lines.isEmpty()) {
          return Optional.empty();
        }
        throw new EOFException("connection closed within the head of a message: " + lines.get(0));
      }
      size += line.get().length();
      if (size > LARGEST) {
        throw new IOException("head of a message is larger than " + LARGEST + " bytes");
      }
      if (!line.get().isEmpty()) {
        lines.add(line.get());
      } else if (!lines.isEmpty()) {
        return Optional.of(new HttpHead(lines.get(0), lines.subList(1, lines.size())));
      }
    }
  }

  /** A line without its end; empty where the peer closed before the first byte. */
  static Optional<String> readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(128);
    int read = in.read();
    if (read < 0) {
      return Optional.empty();
    }
    while (read >= 0 && read != '\n') {
      line.write(read);
      read = in.read();
    }
    String text = line.toString(ISO_8859_1);
    return Optional.of(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
  }

  Optional<String> header(String name) {
    for (String line : headerLines) {
      int colon = line.indexOf(':');
      if (colon == name.length() && line.regionMatches(true, 0, name, 0, colon)) {
        return Optional.of(line.substring(colon + 1).strip());
      }
    }
    return Optional.empty();
  }

  /** The first value of each header, by its name in lower case. */
  Map<String, String> headers() {
    Map<String, String> headers = new HashMap<>();
    for (String line : headerLines) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.putIfAbsent(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
    }
    return headers;
  }

  boolean headerHas(String name, String token) {
    return header(name)
        .map(value -> value.toLowerCase(Locale.ROOT).contains(token.toLowerCase(Locale.ROOT)))
        .orElse(false);
  }

  OptionalLong contentLength() {
    Optional<String> value = header("Content-Length");
    return value.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value.get()));
  }

  boolean isChunked() {
    return headerHas("Transfer-Encoding", "chunked");
  }

  HttpHead without(String name) {
    return new HttpHead(
        startLine,
        headerLines.stream()
            .filter(line -> !line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
            .toList());
  }

  HttpHead with(String line) {
    List<String> lines = new ArrayList<>(headerLines);
    lines.add(line);
    return new HttpHead(startLine, lines);
  }

  HttpHead withoutPrefix(String prefix) {
    return new HttpHead(
        startLine,
        headerLines.stream()
            .filter(line -> !line.regionMatches(true, 0, prefix, 0, prefix.length()))
            .toList());
  }

  /** The status code of a response. */
  int status() throws IOException {
    String[] words = startLine.split(" ", 3);
    if (words.length < 2) {
      throw new IOException("not the first line of an HTTP response: " + startLine);
    }
    return Integer.parseInt(words[1]);
  }

  byte[] toBytes() {
    StringBuilder text = new StringBuilder(startLine).append("\r\n");
    headerLines.forEach(line -> text.append(line).append("\r\n"));
    return text.append("\r\n").toString().getBytes(ISO_8859_1);
  }
}
