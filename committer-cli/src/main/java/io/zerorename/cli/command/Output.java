package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;

/**
 * The output of a command: lines for a person, at once, or one JSON document for a program, at the
 * end. A command gives both, and the user chooses. The document's values are records, or lists of
 * them, so that it has the same fields each time; what is unknown is null.
 */
public final class Output {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule()
                  .addSerializer(Path.class, as(Object::toString))
                  .addSerializer(Instant.class, as(Object::toString))
                  .addSerializer(Optional.class, as(it -> ((Optional<?>) it).orElse(null)))
                  .addSerializer(Enum.class, as(it -> word((Enum<?>) it))));

  private final PrintStream out;
  private final PrintStream err;
  private final boolean asJson;
  private final Map<String, Object> document = new LinkedHashMap<>();
  private final List<String> warnings = new ArrayList<>();

  /**
   * @param asJson whether a program reads it
   */
  public Output(PrintStream out, PrintStream err, boolean asJson) {
    this.out = requireNonNull(out, "out");
    this.err = requireNonNull(err, "err");
    this.asJson = asJson;
  }

  private static JsonSerializer<Object> as(UnaryOperator<Object> value) {
    return new JsonSerializer<>() {
      @Override
      public void serialize(Object object, JsonGenerator json, SerializerProvider serializers)
          throws IOException {
        serializers.defaultSerializeValue(value.apply(object), json);
      }
    };
  }

  /** A constant as every document spells it. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A line, or several, that a person reads. */
  public void line(String text) {
    if (!asJson) {
      out.println(text);
    }
  }

  /** A problem that does not stop the command. */
  public void warn(String text) {
    err.println("zerorename: " + text);
    warnings.add(text);
    put("warnings", warnings);
  }

  /** Sets a field of the JSON document. A list may grow until the end. */
  public void put(String field, Object value) {
    document.put(field, value);
  }

  /** Prints the document, also if the command has failed. */
  public void end(ExitCode code) {
    if (asJson) {
      put("exitCode", code.number());
      // Values that a command has made have a form as JSON.
      out.println(MAPPER.convertValue(document, JsonNode.class).toPrettyString());
    }
    out.flush();
  }
}
