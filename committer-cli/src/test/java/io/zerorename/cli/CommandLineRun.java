package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * What a command that a test has typed has printed, and how it has ended.
 *
 * @param err without what it says meanwhile, which depends on how busy the machine is
 */
public record CommandLineRun(int exitCode, String out, String err) {
  private static final Pattern MEANWHILE =
      Pattern.compile("(?m)^zerorename: (Waiting for .*|.*: [\\d,]+ of [\\d,]+)\\R");

  /** Types a command. */
  public static CommandLineRun of(Configuration conf, String... arguments) {
    return of(() -> new Configuration(conf), arguments);
  }

  static CommandLineRun of(Supplier<Configuration> conf, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode =
        new ZeroRename(conf, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8))
            .run(arguments);
    return new CommandLineRun(
        exitCode, out.toString(UTF_8), MEANWHILE.matcher(err.toString(UTF_8)).replaceAll(""));
  }

  public JsonNode json() throws IOException {
    return new ObjectMapper().readTree(out);
  }

  public List<String> errorLines() {
    return err.lines().toList();
  }
}
