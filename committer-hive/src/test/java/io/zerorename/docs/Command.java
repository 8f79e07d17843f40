package io.zerorename.docs;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A command as a page shows it, so that a reader can type it. */
record Command(String text, String program, List<String> arguments) {
  /** Of others; that they exist is not looked at. */
  private static final Set<String> OTHERS =
      Set.of("cp", "mkdir", "tar", "hadoop", "hive", "beeline");

  private static final String OPTIONS = "integration-tests/src/main/java/io/zerorename/";

  static boolean isOne(String text) {
    return text.matches(
        "\\./(demo|benchmark)( .*)?|((\\S*bin/)?zerorename|mvn|aws|hadoop|tar|cp) .+");
  }

  static Command of(String line) {
    String text = line.strip().replaceFirst("\\s+#.*", "");
    List<String> words = List.of(text.split("\\s+"));
    String program = words.get(0).endsWith("bin/zerorename") ? "zerorename" : words.get(0);
    return new Command(text, program, words.subList(1, words.size()));
  }

  /** Why it would not run. */
  List<String> problems() {
    return switch (program) {
      case "./demo" -> unknownOptions(SourceTree.read(OPTIONS + "demo/DemoOptions.java"));
      case "./benchmark" ->
          unknownOptions(SourceTree.read(OPTIONS + "benchmark/BenchmarkOptions.java"));
      case "zerorename" -> problemsOfOurs();
      case "mvn" -> problemsOfMaven();
      case "aws" -> arguments.get(0).equals("s3api") ? List.of() : List.of("not aws s3api");
      default -> OTHERS.contains(program) ? List.of() : List.of("unknown program " + program);
    };
  }

  private List<String> problemsOfOurs() {
    String command = arguments.get(0);
    // The script names them, or the annotation of the class that is one.
    Set<String> known =
        new TreeSet<>(SourceTree.find("^\\s+([a-z]+)\\) main=", SourceTree.read("bin/zerorename")));
    SourceTree.ofProduct()
        .forEach(java -> known.addAll(SourceTree.find("^ +name = \"([a-z]+)\",$", java)));
    return known.contains(command)
        ? unknownOptions(String.join("", SourceTree.ofProduct()))
        : List.of("there is no command " + command + ", only " + known);
  }

  private List<String> problemsOfMaven() {
    List<String> problems = new ArrayList<>();
    int modules = arguments.indexOf("-pl");
    if (modules >= 0) {
      Stream.of(arguments.get(modules + 1).split(","))
          .filter(module -> !Files.exists(SourceTree.root().resolve(module).resolve("pom.xml")))
          .forEach(module -> problems.add("there is no module " + module));
    }
    return problems;
  }

  private List<String> unknownOptions(String source) {
    return arguments.stream()
        .filter(argument -> argument.startsWith("--"))
        .filter(option -> !source.contains(option))
        .map(option -> "there is no option " + option)
        .toList();
  }
}
