package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Where a command tells what it found: for a person in lines, at once, or for a program in one JSON
 * document, at the end. A command gives both, and the user chooses.
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

  /** Something that does not stop the command, and that whoever reads the result should know. */
  public void warn(String text) {
    err.println("zerorename: " + text);
    document.withArray("warnings").add(text);
  }

  /** A constant as every document spells it. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The document that a program reads, to be filled. */
  public ObjectNode json() {
    return document;
  }

  /**
   * Prints the document, also where a command was broken off: it tells what was done until then.
   */
  public void end(ExitCode code) throws IOException {
    if (asJson) {
      document.put("exitCode", code.number());
      out.println(MAPPER.writeValueAsString(document));
    }
    out.flush();
  }
}
