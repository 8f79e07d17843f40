package io.zerorename.docs;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.SourceTree;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Why a command that a page shows would not run, as far as the sources tell. */
final class CommandProblems {
  /** Programs of others, and the test that types what pages say of them. */
  static final Map<String, String> TYPED_BY =
      Map.of(
          "hadoop", "io.zerorename.cli.OthersCommandsTest",
          "gh", "io.zerorename.docs.WorkflowsTest",
          "spark-submit", "io.zerorename.testing.spark.RepeatedSubmitTest",
          "tar", "io.zerorename.dist.ArchiveIT",
          "mkdir", "io.zerorename.dist.ArchiveIT",
          "cp", "io.zerorename.dist.ArchiveIT");

  /** No test types it: no machine that builds this needs to have the programs. */
  private static final Pattern NOT_TYPED = Pattern.compile("hive --version|aws s3api .*");

  private static final String OPTIONS = "demo-and-benchmark/src/main/java/io/zerorename/";

  private CommandProblems() {}

  static List<String> of(Command command) {
    return switch (command.program()) {
      case "./demo" -> ofProgram(command, "demo/DemoOptions.java");
      case "./benchmark" -> ofProgram(command, "benchmark/BenchmarkOptions.java");
      case "zerorename" -> ofOurs(command);
      case "mvn" -> ofMaven(command);
      default ->
          TYPED_BY.containsKey(command.program()) || NOT_TYPED.matcher(command.text()).matches()
              ? List.of()
              : List.of("no test types " + command.program());
    };
  }

  private static List<String> ofProgram(Command command, String options) {
    return unknownOptions(
        command,
        SourceTree.read(OPTIONS + options)
            + SourceTree.read(OPTIONS + "report/ProgramOptions.java"));
  }

  private static List<String> ofOurs(Command command) {
    String name = command.arguments().get(0);
    // The script names them, or the annotation of the class that is one.
    Set<String> known =
        new TreeSet<>(SourceTree.find("^\\s+([a-z]+)\\) main=", SourceTree.read("bin/zerorename")));
    SourceTree.ofProduct()
        .forEach(java -> known.addAll(SourceTree.find("^ +name = \"([a-z-]+)\",$", java)));
    return known.contains(name)
        ? unknownOptions(command, String.join("", SourceTree.ofProduct()))
        : List.of("there is no command " + name + ", only " + known);
  }

  private static List<String> ofMaven(Command command) {
    List<String> arguments = command.arguments();
    List<String> problems = new ArrayList<>();
    int modules = arguments.indexOf("-pl");
    if (modules >= 0) {
      Stream.of(arguments.get(modules + 1).split(","))
          .filter(module -> !Files.exists(SourceTree.root().resolve(module).resolve("pom.xml")))
          .forEach(module -> problems.add("there is no module " + module));
    }
    String poms = SourceTree.read("pom.xml") + SourceTree.read("integration-tests/hive/pom.xml");
    arguments.stream()
        .filter(argument -> argument.startsWith("-P"))
        .flatMap(argument -> Stream.of(argument.substring(2).split(",")))
        .filter(profile -> !poms.contains("<id>" + profile + "</id>"))
        .forEach(profile -> problems.add("there is no profile " + profile));
    return problems;
  }

  private static List<String> unknownOptions(Command command, String source) {
    return command.arguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .filter(option -> !source.contains(option))
        .map(option -> "there is no option " + option)
        .toList();
  }
}
