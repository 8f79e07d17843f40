package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonGenerator.Feature;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.zerorename.core.manifest.StrictJson.Bodies;
import io.zerorename.core.store.RepeatableBody;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One kind of file that holds a version and a record as a JSON object. Reading is strict: whatever
 * the committer cannot have written is refused with the file's name, the reason and an advice.
 *
 * <p>The record may have small files whose bytes follow the object: then it is one line, and the
 * bytes begin after its line feed.
 *
 * @param kind what a person calls such a file
 * @param version that is written, and the only one that is read
 * @param advice what to do about a file that cannot be read
 */
public record VersionedJson(String kind, int version, String advice) {
  private static final String VERSION = "version";
  private static final String CONTENT = "content";
  private static final int LINE_FEED = '\n';

  /** More than a small file and its description take, by the default of what is small. */
  private static final int NOT_LARGE = 1 << 20;

  /** Of a larger file, read at once. */
  private static final int BLOCK = 64 * 1024;

  public VersionedJson {
    requireNonNull(kind, "kind");
    requireNonNull(advice, "advice");
  }

  /**
   * Writes a record and the bodies in it, replacing a file of that name.
   *
   * @throws IOException also where a body has another length than it says
   */
  void write(FileSystem fileSystem, Path file, Record content) throws IOException {
    try (OutputStream out = PrivateFiles.create(fileSystem, file, true)) {
      List<RepeatableBody> bodies = write(out, content);
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

  /** A record and the bodies in it as bytes. */
  public byte[] write(Record content) throws IOException {
    // In pieces: one array for megabytes would be copied each time that it doubles.
    ByteArrayBuilder pieces = new ByteArrayBuilder();
    List<RepeatableBody> bodies = write(pieces, content);
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

  /**
   * Writes the object.
   *
   * @return the bodies that must follow
   */
  private List<RepeatableBody> write(OutputStream out, Record content) throws IOException {
    List<RepeatableBody> bodies = new ArrayList<>();
    try (JsonGenerator json =
        StrictJson.FACTORY.createGenerator(out).disable(Feature.AUTO_CLOSE_TARGET)) {
      json.writeStartObject();
      json.writeNumberField(VERSION, version);
      json.writeFieldName(CONTENT);
      StrictJson.MAPPER.writer().withAttribute(Bodies.class, bodies).writeValue(json, content);
      json.writeEndObject();
    }
    return bodies;
  }

  private static void requireWhole(RepeatableBody body, long copied) throws EOFException {
    if (copied != body.length()) {
      throw new EOFException(
          "ZR-1402: a small file has %s bytes where %s were written"
              .formatted(copied, body.length()));
    }
  }

  /**
   * Reads a record and what follows it. Of a file that is not large all is read at once, because to
   * open it again for each body takes longer than to read it; of another the bodies are read when
   * they are asked for.
   *
   * @throws MalformedManifestException where the file is truncated, of another version, or no such
   *     file at all
   */
  <T extends Record> T read(FileSystem fileSystem, Path file, Class<T> type) throws IOException {
    byte[] line;
    try (InputStream in = fileSystem.open(file)) {
      byte[] begin = in.readNBytes(NOT_LARGE);
      if (begin.length < NOT_LARGE) {
        return read(begin, file.toString(), type);
      }
      line = line(begin, in);
    }
    long[] end = {line.length + 1L};
    Bodies bodies =
        length -> {
          end[0] += length;
          return new FileSlice(fileSystem, file, end[0] - length, length);
        };
    return read(line, line.length, file.toString(), type, bodies);
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
   * Reads what {@link #write(Record)} returned. Bodies are slices of the document.
   *
   * @param where the document was found, for messages
   * @throws MalformedManifestException as for a file
   */
  public <T extends Record> T read(byte[] document, String where, Class<T> type)
      throws IOException {
    int line = lineEnd(document, document.length);
    int[] end = {Math.min(document.length, line + 1)};
    Bodies bodies =
        length -> {
          if (length > document.length - end[0]) {
            throw malformed(where, "the bytes of a small file are not in it");
          }
          end[0] += (int) length;
          return RepeatableBody.of(document, end[0] - (int) length, (int) length);
        };
    T content = read(document, line, where, type, bodies);
    if (end[0] != document.length) {
      throw malformed(where, "it goes on where it should have ended");
    }
    return content;
  }

  private <T> T read(byte[] object, int length, String where, Class<T> type, Bodies bodies)
      throws IOException {
    try (JsonParser json = StrictJson.FACTORY.createParser(object, 0, length)) {
      expect(json, JsonToken.START_OBJECT);
      field(json, VERSION);
      expect(json, JsonToken.VALUE_NUMBER_INT);
      requireVersion(json.getLongValue(), where);
      field(json, CONTENT);
      json.nextToken();
      T content =
          StrictJson.MAPPER.readerFor(type).withAttribute(Bodies.class, bodies).readValue(json);
      expect(json, JsonToken.END_OBJECT);
      expect(json, null);
      return content;
    } catch (JsonProcessingException e) {
      throw malformed(where, "it is truncated or was changed: " + reason(e), e);
    }
  }

  private void requireVersion(long found, String where) throws OtherVersionException {
    if (found != version) {
      throw new OtherVersionException(
          cannotRead(
              where,
              ("ZR-1403: it has version %s and this committer reads version %s; the same release"
                      + " must be on all machines")
                  .formatted(found, version)));
    }
  }

  private static void expect(JsonParser json, JsonToken token) throws IOException {
    if (json.nextToken() != token) {
      throw JsonMappingException.from(
          json, "it has \"" + json.getText() + "\" in place of " + token);
    }
  }

  private static void field(JsonParser json, String name) throws IOException {
    if (json.nextToken() != JsonToken.FIELD_NAME || !json.currentName().equals(name)) {
      throw JsonMappingException.from(json, "it has no field \"" + name + "\"");
    }
  }

  private static String reason(JsonProcessingException e) {
    String field =
        e instanceof JsonMappingException mapping
            ? mapping.getPath().stream()
                .map(it -> it.getFieldName() == null ? "" + it.getIndex() : it.getFieldName())
                .collect(Collectors.joining("/"))
            : "";
    return field.isEmpty() ? e.getOriginalMessage() : field + ": " + e.getOriginalMessage();
  }

  /** The failure of a reader who has found what the committer cannot have written. */
  public MalformedManifestException malformed(String where, String why) {
    return malformed(where, why, null);
  }

  private MalformedManifestException malformed(String where, String why, Exception cause) {
    return new MalformedManifestException(cannotRead(where, why), cause);
  }

  private String cannotRead(String where, String why) {
    return "ZR-1404: Cannot read the " + kind + " " + where + ": " + why + ". " + advice;
  }
}
