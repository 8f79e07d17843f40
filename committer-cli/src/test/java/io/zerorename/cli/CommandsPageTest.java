package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.SourceTree;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/commands.md, against the commands as they are. */
class CommandsPageTest {
  private static final String COMMON = "Options of every command";
  private final Map<String, String> sections = new HashMap<>();
  private final CommandLine root =
      new ZeroRename(Configuration::new, System.out, System.err).commandLine();

  @BeforeEach
  void read() {
    for (String section : SourceTree.read("docs/commands.md").split("\n## ", -1)) {
      sections.put(section.lines().findFirst().orElseThrow(), section);
    }
  }

  @Test
  void thePageHasEveryCommandAndItsOptionsAndExamples() {
    assertThat(root.getSubcommands()).hasSizeGreaterThan(5);
    root.getSubcommands().values().forEach(this::checkCommand);
  }

  private void checkCommand(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    assertThat(sections).containsKey(name);
    String section = sections.get(name);
    for (OptionSpec option : command.getCommandSpec().options()) {
      String where = option.inherited() ? sections.get(COMMON) : section;
      for (String written : option.names()) {
        assertThat(where).as(name).contains("`" + written);
      }
      if (option.arity().max() > 0) {
        assertThat(where).as(name).contains("`" + option.longestName() + " " + option.paramLabel());
      }
    }
    for (String example : examples(command)) {
      assertThat(section).as(name).contains("\n" + example + "\n");
    }
    for (String line : section.lines().toList()) {
      if (line.startsWith("| `-")) {
        String option = line.substring(3).split("[` ]", -1)[0];
        assertThat(command.getCommandSpec().findOption(option)).as(name + " " + option).isNotNull();
      }
    }
  }

  private static List<String> examples(CommandLine command) {
    return Arrays.stream(command.getCommandSpec().usageMessage().footer())
        .map(String::strip)
        .filter(line -> line.startsWith("zerorename "))
        .toList();
  }

  @Test
  void everyExampleCanBeParsed() {
    for (CommandLine command : root.getSubcommands().values()) {
      List<String> examples = examples(command);
      assertThat(examples).as(command.getCommandName()).isNotEmpty();
      for (String example : examples) {
        String[] words = Command.of(example).arguments().toArray(String[]::new);
        assertThat(root.parseArgs(words).errors()).isEmpty();
      }
    }
  }

  @Test
  void thePageHasTheExitCodes() {
    Map<String, String> codes = root.getCommandSpec().usageMessage().exitCodeList();
    assertThat(codes).hasSameSizeAs(ExitCode.values());
    for (ExitCode code : ExitCode.values()) {
      String number = String.valueOf(code.number());
      assertThat(sections.get("Exit codes"))
          .contains("| " + number + " | " + codes.get(number) + " |");
    }
  }
}
