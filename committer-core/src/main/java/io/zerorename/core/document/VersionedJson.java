package io.zerorename.core.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.zerorename.core.store.RepeatableBody;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * One kind of file that holds a version and a record as a JSON object: each component is a field.
 * Reading is strict: whatever the committer cannot have written is refused with the file's name,
 * the reason and an advice. No other field may be there; nothing is converted, as text to a number,
 * and nothing that is absent is taken for null or 0.
 *
 * <p>The record may have small files whose bytes follow the object: then it is one line, and the
 * bytes begin after its line feed.
 *
 * @param kind what a person calls such a file
 * @param version that is written, and the only one that is read
 * @param advice what to do about a file that cannot be read
 */
public record VersionedJson(String kind, int version, String advice) {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  static final ObjectMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .addModule(
              new SimpleModule()
                  // Jackson's own takes a number for its digits.
                  .addDeserializer(String.class, new TextReader<>(text -> text))
                  .addSerializer(Path.class, new PathWriter())
                  .addDeserializer(Path.class, new TextReader<>(VersionedJson::path))
                  .addSerializer(Instant.class, ToStringSerializer.instance)
                  .addDeserializer(Instant.class, new TextReader<>(Instant::parse))
                  .addSerializer(RepeatableBody.class, new BodyWriter())
                  .addDeserializer(RepeatableBody.class, new BodyReader()))
          .build();

  /** Attribute of a reader or a writer: the bodies that follow the object, from the first on. */
  private static final String BODIES = "bodies";

  private static final int LINE_FEED = '\n';

  private record Versioned(int version, Record content) {}

  /** A record and the bodies in it as bytes. */
  public byte[] write(Record content) throws IOException {
    List<RepeatableBody> bodies = new ArrayList<>();
    byte[] object =
        MAPPER
            .writer()
            .withAttribute(BODIES, bodies)
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
        long whole = copied + in.transferTo(OutputStream.nullOutputStream());
        if (whole != body.length()) {
          throw new EOFException(
              "ZR-1402: a small file has %s bytes where %s were written"
                  .formatted(whole, body.length()));
        }
        end += copied;
      }
    }
    return document;
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
    FunctionRaisingIOE<Long, RepeatableBody> bodies =
        length -> {
          if (length > document.length - end[0]) {
            throw malformed(where, "the bytes of a small file are not in it");
          }
          end[0] += length.intValue();
          return RepeatableBody.of(document, end[0] - length.intValue(), length.intValue());
        };
    try (JsonParser json = FACTORY.createParser(document, 0, line)) {
      expect(json, JsonToken.START_OBJECT);
      field(json, "version");
      expect(json, JsonToken.VALUE_NUMBER_INT);
      long found = json.getLongValue();
      if (found != version) {
        throw new OtherVersionException(
            cannotRead(
                where,
                ("ZR-1403: it has version %s and this committer reads version %s; the same release"
                        + " must be on all machines")
                    .formatted(found, version)));
      }
      field(json, "content");
      expect(json, JsonToken.START_OBJECT);
      T content = MAPPER.readerFor(type).withAttribute(BODIES, bodies).readValue(json);
      expect(json, JsonToken.END_OBJECT);
      expect(json, null);
      if (end[0] != document.length) {
        throw malformed(where, "it goes on where it should have ended");
      }
      return content;
    } catch (JsonProcessingException e) {
      throw new MalformedDocumentException(
          cannotRead(where, "it is truncated or was changed: " + reason(e)), e);
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
    return new MalformedDocumentException(cannotRead(where, why));
  }

  private String cannotRead(String where, String why) {
    return "ZR-1404: Cannot read the " + kind + " " + where + ": " + why + ". " + advice;
  }

  /** A path with a scheme whose elements are all names, none of them {@code ..}. */
  private static Path path(String text) {
    URI uri = URI.create(text);
    String path = uri.getPath();
    // Only files on the machine itself have no authority.
    if (uri.getScheme() == null
        || path == null
        || (uri.getRawAuthority() == null && !uri.getScheme().equals("file"))) {
      throw new IllegalArgumentException("it names no file system");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null || hasNoName(path)) {
      throw new IllegalArgumentException("it has an element that is no name, such as \"..\"");
    }
    return new Path(uri);
  }

  private static boolean hasNoName(String path) {
    return path.contains("//")
        || (path.endsWith("/") && path.length() > 1)
        // Most have none that begins so, and a plan has many.
        || (path.contains("/.")
            && Stream.of(path.split("/", -1)).anyMatch(it -> it.equals(".") || it.equals("..")));
  }

  /** As a URI, which takes less time to read than what Path.toString returns. */
  private static final class PathWriter extends JsonSerializer<Path> {
    @Override
    public void serialize(Path path, JsonGenerator json, SerializerProvider context)
        throws IOException {
      json.writeString(path.toUri().toString());
    }
  }

  private static final class TextReader<T> extends JsonDeserializer<T> {
    private final Function<String, T> parser;

    TextReader(Function<String, T> parser) {
      this.parser = parser;
    }

    @Override
    public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
      if (!json.hasToken(JsonToken.VALUE_STRING)) {
        throw JsonMappingException.from(json, "it is not a string");
      }
      try {
        return parser.apply(json.getText());
      } catch (IllegalArgumentException | DateTimeException e) {
        throw JsonMappingException.from(
            json, "\"" + json.getText() + "\" cannot be: " + e.getMessage(), e);
      }
    }
  }

  /** Its length; the bytes follow the object. */
  private static final class BodyWriter extends JsonSerializer<RepeatableBody> {
    @Override
    @SuppressWarnings("unchecked")
    public void serialize(RepeatableBody body, JsonGenerator json, SerializerProvider context)
        throws IOException {
      json.writeNumber(body.length());
      ((List<RepeatableBody>) context.getAttribute(BODIES)).add(body);
    }
  }

  private static final class BodyReader extends JsonDeserializer<RepeatableBody> {
    @Override
    @SuppressWarnings("unchecked")
    public RepeatableBody deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      long length = context.readValue(json, long.class);
      if (length < 0) {
        throw JsonMappingException.from(json, "a file of " + length + " bytes is impossible");
      }
      return ((FunctionRaisingIOE<Long, RepeatableBody>) context.getAttribute(BODIES))
          .apply(length);
    }
  }
}
