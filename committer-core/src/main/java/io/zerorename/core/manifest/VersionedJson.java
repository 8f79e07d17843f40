package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonGenerator.Feature;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.zerorename.core.store.RepeatableBody;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One kind of file that holds a JSON object with a version. Reading is strict: whatever the
 * committer cannot have written is refused with the file's name, the reason and an advice.
 *
 * <p>The object may describe small files whose bytes follow it: then it is one line, and the bytes
 * begin after its line feed.
 *
 * @param kind what a person calls such a file
 * @param version that is written, and the only one that is read
 * @param advice what to do about a file that cannot be read
 */
public record VersionedJson(String kind, int version, String advice) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int LINE_FEED = '\n';

  /** More than a small file and its description take, by the default of what is small. */
  private static final int NOT_LARGE = 1 << 20;

  /** Of a larger file, read at once. */
  private static final int BLOCK = 64 * 1024;

  private static final ObjectReader TREES =
      new ObjectMapper()
          .reader()
          .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  public VersionedJson {
    requireNonNull(kind, "kind");
    requireNonNull(advice, "advice");
  }

  /** Writes the fields of the object that come after its version. */
  @FunctionalInterface
  public interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /** Reads the fields of the object. */
  @FunctionalInterface
  public interface Parser<T> {
    T parse(JsonNode object) throws MalformedManifestException;
  }

  /** Reads the fields of an object that describes files. */
  @FunctionalInterface
  public interface BodyParser<T> {
    T parse(JsonNode object, Bodies bodies) throws MalformedManifestException;
  }

  /** The bytes that follow an object. */
  @FunctionalInterface
  public interface Bodies {
    /**
     * Some of them.
     *
     * @param offset counted from the first byte after the object
     */
    RepeatableBody at(long offset, long length) throws MalformedManifestException;
  }

  /**
   * Writes an object and what follows it, replacing a file of that name.
   *
   * @param bodies of the files that the object describes, in the order of their offsets
   */
  void write(FileSystem fileSystem, Path file, Fields fields, List<RepeatableBody> bodies)
      throws IOException {
    try (OutputStream out = PrivateFiles.create(fileSystem, file, true)) {
      write(out, fields);
      if (!bodies.isEmpty()) {
        out.write(LINE_FEED);
      }
      for (RepeatableBody body : bodies) {
        try (InputStream in = body.open()) {
          requireWhole(body, in.transferTo(out));
        }
      }
    }
  }

  /** The document as bytes. */
  public byte[] write(Fields fields) throws IOException {
    return write(fields, List.of());
  }

  /** The object and what follows it as bytes. */
  public byte[] write(Fields fields, List<RepeatableBody> bodies) throws IOException {
    // In pieces: one array for megabytes would be copied each time that it doubles.
    ByteArrayBuilder pieces = new ByteArrayBuilder();
    write(pieces, fields);
    byte[] object = pieces.toByteArray();
    if (bodies.isEmpty()) {
      return object;
    }
    // Megabytes follow, of which nothing but the result should be in memory.
    long length = object.length + 1 + bodies.stream().mapToLong(RepeatableBody::length).sum();
    byte[] document = Arrays.copyOf(object, Math.toIntExact(length));
    int end = object.length;
    document[end++] = LINE_FEED;
    for (RepeatableBody body : bodies) {
      try (InputStream in = body.open()) {
        int copied = in.readNBytes(document, end, Math.toIntExact(body.length()));
        requireWhole(body, copied + in.transferTo(OutputStream.nullOutputStream()));
        end += copied;
      }
    }
    return document;
  }

  private void write(OutputStream out, Fields fields) throws IOException {
    JsonGenerator json = JSON.createGenerator(out).disable(Feature.AUTO_CLOSE_TARGET);
    try (json) {
      json.writeStartObject();
      json.writeNumberField("version", version);
      fields.write(json);
      json.writeEndObject();
    }
  }

  private static void requireWhole(RepeatableBody body, long copied) throws EOFException {
    if (copied != body.length()) {
      throw new EOFException(
          "ZR-1402: a small file has %s bytes where %s were written"
              .formatted(copied, body.length()));
    }
  }

  /**
   * Reads an object and what follows it. Of a file that is not large all is read at once, because
   * to open it again for each body takes longer than to read it; of another the bodies are read
   * when they are asked for.
   *
   * @throws MalformedManifestException where the file is truncated, of another version, or no such
   *     file at all
   */
  <T> T readBodies(FileSystem fileSystem, Path file, BodyParser<T> parser) throws IOException {
    byte[] line;
    try (InputStream in = fileSystem.open(file)) {
      byte[] begin = in.readNBytes(NOT_LARGE);
      if (begin.length < NOT_LARGE) {
        return readBodies(begin, file.toString(), parser);
      }
      line = line(begin, in);
    }
    long start = line.length + 1L;
    AtomicLong used = new AtomicLong();
    return read(
        new ByteArrayInputStream(line),
        file.toString(),
        object ->
            parser.parse(
                object,
                (offset, length) -> {
                  if (offset != used.get() || length < 0 || length > Integer.MAX_VALUE) {
                    throw new MalformedManifestException(
                        "the bytes of a small file are not in their place", null);
                  }
                  used.addAndGet(length);
                  return new FileSlice(fileSystem, file, start + offset, length);
                }));
  }

  /** What stands before the first line feed of some bytes and a stream; all where there is none. */
  private static byte[] line(byte[] begin, InputStream rest) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(begin.length);
    byte[] block = begin;
    int count = begin.length;
    while (count >= 0) {
      int end = lineEnd(block, count);
      line.write(block, 0, end);
      if (end < count) {
        break;
      }
      block = new byte[BLOCK];
      count = rest.read(block);
    }
    return line.toByteArray();
  }

  private static int lineEnd(byte[] bytes, int count) {
    int end = 0;
    while (end < count && bytes[end] != LINE_FEED) {
      end++;
    }
    return end;
  }

  /**
   * Reads what {@link #write(Fields)} returned.
   *
   * @param where the document was found, for messages
   * @throws MalformedManifestException as for a file
   */
  public <T> T read(byte[] document, String where, Parser<T> parser) throws IOException {
    return read(new ByteArrayInputStream(document), where, parser);
  }

  /** Like {@link #read(byte[], String, Parser)}; the bodies are slices of the document. */
  public <T> T readBodies(byte[] document, String where, BodyParser<T> parser) throws IOException {
    int end = lineEnd(document, document.length);
    int start = Math.min(document.length, end + 1);
    AtomicLong used = new AtomicLong();
    Bodies bodies =
        (offset, length) -> {
          long left = document.length - start - used.get();
          if (offset != used.get() || length < 0 || length > left) {
            throw new MalformedManifestException(
                "the bytes of a small file are not in it, or not in their place", null);
          }
          used.addAndGet(length);
          return RepeatableBody.of(
              document, Math.toIntExact(start + offset), Math.toIntExact(length));
        };
    return read(
        new ByteArrayInputStream(document, 0, end),
        where,
        object -> {
          T result = parser.parse(object, bodies);
          if (start + used.get() != document.length) {
            throw new MalformedManifestException("it goes on where it should have ended", null);
          }
          return result;
        });
  }

  private <T> T read(InputStream in, String where, Parser<T> parser) throws IOException {
    try {
      return parser.parse(checked(TREES.readTree(in)));
    } catch (JsonProcessingException e) {
      throw malformed(where, "it is truncated or no JSON", e);
    } catch (OtherVersionException e) {
      throw new OtherVersionException(cannotRead(where, e.getMessage()));
    } catch (MalformedManifestException e) {
      throw malformed(where, e.getMessage(), e);
    }
  }

  private JsonNode checked(JsonNode root) throws MalformedManifestException {
    if (root == null || !root.isObject()) {
      throw new MalformedManifestException("it is empty or no JSON object", null);
    }
    long found = JsonFields.number(root, "version");
    if (found != version) {
      throw new OtherVersionException(
          ("ZR-1403: it has version %s and this committer reads version %s; the same release must"
                  + " be on all machines")
              .formatted(found, version));
    }
    return root;
  }

  private MalformedManifestException malformed(String where, String why, Exception cause) {
    return new MalformedManifestException(cannotRead(where, why), cause);
  }

  private String cannotRead(String where, String why) {
    return "ZR-1404: Cannot read the " + kind + " " + where + ": " + why + ". " + advice;
  }
}
