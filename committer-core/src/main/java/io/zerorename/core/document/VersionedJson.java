package io.zerorename.core.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import io.zerorename.core.document.StrictJson.Bodies;
import io.zerorename.core.store.RepeatableBody;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

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
  private static final int LINE_FEED = '\n';

  /** The whole object. */
  private record Versioned(int version, Record content) {}

  /** A record and the bodies in it as bytes. */
  public byte[] write(Record content) throws IOException {
    List<RepeatableBody> bodies = new ArrayList<>();
    byte[] object =
        StrictJson.MAPPER
            .writer()
            .withAttribute(Bodies.class, bodies)
            .writeValueAsBytes(new Versioned(version, content));
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

  private static void requireWhole(RepeatableBody body, long copied) throws EOFException {
    if (copied != body.length()) {
      throw new EOFException(
          "ZR-1402: a small file has %s bytes where %s were written"
              .formatted(copied, body.length()));
    }
  }

  /**
   * Reads what {@link #write} returned. Bodies are slices of the document.
   *
   * @param where the document was found, for messages
   * @throws MalformedDocumentException where it is truncated, of another version, or no such
   *     document at all
   */
  public <T extends Record> T read(byte[] document, String where, Class<T> type)
      throws IOException {
    int line = 0;
    while (line < document.length && document[line] != LINE_FEED) {
      line++;
    }
    int[] end = {Math.min(document.length, line + 1)};
    Bodies bodies =
        length -> {
          if (length > document.length - end[0]) {
            throw malformed(where, "the bytes of a small file are not in it");
          }
          end[0] += (int) length;
          return RepeatableBody.of(document, end[0] - (int) length, (int) length);
        };
    try (JsonParser json = StrictJson.FACTORY.createParser(document, 0, line)) {
      expect(json, JsonToken.START_OBJECT);
      field(json, "version");
      expect(json, JsonToken.VALUE_NUMBER_INT);
      requireVersion(json.getLongValue(), where);
      field(json, "content");
      expect(json, JsonToken.START_OBJECT);
      T content =
          StrictJson.MAPPER.readerFor(type).withAttribute(Bodies.class, bodies).readValue(json);
      expect(json, JsonToken.END_OBJECT);
      expect(json, null);
      if (end[0] != document.length) {
        throw malformed(where, "it goes on where it should have ended");
      }
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
  public MalformedDocumentException malformed(String where, String why) {
    return malformed(where, why, null);
  }

  private MalformedDocumentException malformed(String where, String why, Exception cause) {
    return new MalformedDocumentException(cannotRead(where, why), cause);
  }

  private String cannotRead(String where, String why) {
    return "ZR-1404: Cannot read the " + kind + " " + where + ": " + why + ". " + advice;
  }
}
