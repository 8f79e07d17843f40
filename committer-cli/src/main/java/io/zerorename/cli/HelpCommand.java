package io.zerorename.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code zerorename help}: the entry of the catalogue of messages about a code. */
@Command(
    name = "help",
    description = "Prints what a message means and what to do about it, by its code.",
    footer = "  zerorename help ZR-1119")
final class HelpCommand implements Subcommand {
  private static final String CATALOGUE = "messages.md";

  @Parameters(paramLabel = "<code>", description = "The code, such as ZR-1119.")
  private String code;

  @Override
  public ExitCode run(Session session) throws IOException {
    // Who has copied the number alone means the same.
    String asked = code.toUpperCase(Locale.ROOT).replaceFirst("^(?!ZR-)", "ZR-");
    Matcher entry =
        Pattern.compile(
                "^- \\*\\*" + Pattern.quote(asked) + "\\*\\* `(.*)`\\n((?:  .*\\n?)+)",
                Pattern.MULTILINE)
            .matcher(catalogue());
    if (!entry.find()) {
      throw new InputException("ZR-9124: No message has the code '" + code + "'");
    }
    String explanation = entry.group(2).strip().replace("\n  ", "\n").replace("**", "");
    Output output = session.output();
    output.put("code", asked);
    output.put("message", entry.group(1));
    output.put("explanation", explanation.replace('\n', ' '));
    output.line(asked + ": " + entry.group(1));
    output.line("");
    output.line(explanation);
    return ExitCode.OK;
  }

  private static String catalogue() throws IOException {
    try (InputStream in = HelpCommand.class.getResourceAsStream(CATALOGUE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
