package io.zerorename.core.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
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
import java.io.IOException;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;

/**
 * How records become JSON and back: each component is a field, and no other field may be there.
 * Nothing is converted, as text to a number, and nothing that is absent is taken for null or 0.
 */
final class StrictJson {
  static final JsonFactory FACTORY =
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
                  .addDeserializer(Path.class, new TextReader<>(StrictJson::path))
                  .addSerializer(Instant.class, ToStringSerializer.instance)
                  .addDeserializer(Instant.class, new TextReader<>(Instant::parse))
                  .addSerializer(RepeatableBody.class, new BodyWriter())
                  .addDeserializer(RepeatableBody.class, new BodyReader()))
          .build();

  private StrictJson() {}

  /** The bytes that follow an object, from its first body to its last. */
  @FunctionalInterface
  interface Bodies {
    /**
     * The next of them.
     *
     * @param length not negative
     * @throws MalformedDocumentException where there are fewer
     */
    RepeatableBody next(long length) throws MalformedDocumentException;
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
    // Most have none that begins so, and a plan has many.
    if (path.contains("/.")) {
      for (String element : path.split("/", -1)) {
        if (element.equals(".") || element.equals("..")) {
          return true;
        }
      }
    }
    return path.contains("//") || (path.endsWith("/") && path.length() > 1);
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
      ((List<RepeatableBody>) context.getAttribute(Bodies.class)).add(body);
    }
  }

  private static final class BodyReader extends JsonDeserializer<RepeatableBody> {
    @Override
    public RepeatableBody deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      long length = context.readValue(json, long.class);
      if (length < 0) {
        throw JsonMappingException.from(json, "a file of " + length + " bytes is impossible");
      }
      return ((Bodies) context.getAttribute(Bodies.class)).next(length);
    }
  }
}
