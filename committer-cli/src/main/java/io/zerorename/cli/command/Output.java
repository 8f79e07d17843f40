package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;

/**
 * The output of a command: lines for a person, at once, or one JSON document for a program, at the
 * end. A command writes both, and the user chooses.
 */
public final class Output {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final PrintStream out;
  private final PrintStream err;
  private final boolean asJson;
  private final ObjectNode document = MAPPER.createObjectNode();

  /**
   * @param asJson whether a program reads it
   */
  public Output(PrintStream out, PrintStream err, boolean asJson) {
    this.out = requireNonNull(out, "out");
    this.err = requireNonNull(err, "err");
    this.asJson = asJson;
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
    document.withArray("warnings").add(text);
  }

  /** A constant as every document spells it. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The JSON document, to be filled. */
  public ObjectNode json() {
    return document;
  }

  /** Prints the document, also if the command has failed. */
  public void end(ExitCode code) throws IOException {
    if (asJson) {
      document.put("exitCode", code.number());
      out.println(MAPPER.writeValueAsString(document));
    }
    out.flush();
  }
}
