package io.zerorename.cli;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.zerorename.core.parallel.Uninterrupted;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * The output of a command: lines for a person, at once, or one JSON document for a program, at the
 * end. A command gives both, and the user chooses. The document's values are records, or lists of
 * them, so that it has the same fields each time; what is unknown is null.
 */
final class Output {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(
              new SimpleModule()
                  .addSerializer(Path.class, as(Object::toString))
                  .addSerializer(Instant.class, as(Object::toString))
                  .addSerializer(Optional.class, as(it -> ((Optional<?>) it).orElse(null)))
                  .addSerializer(Enum.class, as(it -> word((Enum<?>) it))));

  /** Before it is said how far the command is, and before it is said again. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final PrintStream out;
  private final PrintStream err;
  private final boolean asJson;
  private final Map<String, Object> document = new LinkedHashMap<>();
  private final List<String> warnings = new ArrayList<>();
  private long toldNanos = System.nanoTime();

  /**
   * @param asJson whether a program reads it
   */
  Output(PrintStream out, PrintStream err, boolean asJson) {
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
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A line, or several, that a person reads. */
  void line(String text) {
    if (!asJson) {
      out.println(text);
    }
  }

  /**
   * Rows for a person, with columns as wide as their widest entry.
   *
   * @param rows all as long as the first, which has the heads
   * @param numbers the columns that are aligned to the right, from 0
   */
  void table(List<List<String>> rows, Set<Integer> numbers) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String blank = " ".repeat(widths[i] - row.get(i).length());
        line.append(numbers.contains(i) ? blank + row.get(i) : row.get(i) + blank).append("  ");
      }
      line(line.toString().stripTrailing());
    }
  }

  /** A problem that does not stop the command. */
  void warn(String text) {
    tell(text);
    warnings.add(text);
    put("warnings", warnings);
  }

  /** Why the command has failed. */
  void fail(String text) {
    tell(text);
    put("error", text);
  }

  /** A line beside the results. May be called from any thread. */
  void tell(String text) {
    err.println("zerorename: " + text);
  }

  /** How far a long command is; may be called at each step, from any thread. */
  void progress(String what, long done, long total) {
    now(() -> "%s: %s of %s".formatted(what, Units.count(done), Units.count(total)));
  }

  /**
   * Does something, and says meanwhile what it waits for, as long as nothing else is said.
   *
   * @param whatFor asked each time
   */
  <T> T waiting(CallableRaisingIOE<T> work, Supplier<String> whatFor) throws IOException {
    return Uninterrupted.call(work, PAUSE, () -> now(() -> "Waiting for " + whatFor.get()));
  }

  private synchronized void now(Supplier<String> text) {
    long now = System.nanoTime();
    if (now - toldNanos >= PAUSE.toNanos()) {
      toldNanos = now;
      tell(text.get());
    }
  }

  /** Sets a field of the JSON document. A list may grow until the end. */
  void put(String field, Object value) {
    document.put(field, value);
  }

  /** Prints the document, also if the command has failed. */
  void end(ExitCode code) {
    if (asJson) {
      put("exitCode", code.number());
      // Values that a command has made have a form as JSON.
      out.println(MAPPER.convertValue(document, JsonNode.class).toPrettyString());
    }
    out.flush();
  }
}
