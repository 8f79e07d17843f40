package io.zerorename.testing.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The sources of all modules, as text. */
public final class SourceTree {
  private static final Path ROOT = above(Path.of(System.getProperty("basedir", "")));

  private SourceTree() {}

  /** The directory of the project, from which Maven is called. */
  public static Path root() {
    return ROOT;
  }

  private static Path above(Path module) {
    Path directory = module.toAbsolutePath().normalize();
    while (!Files.isDirectory(directory.resolve(".mvn"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("there is no directory .mvn above " + module);
      }
    }
    return directory;
  }

  /** The classes that users run, of all modules. */
  public static List<String> ofProduct() {
    return javaFiles("src/main").stream().map(SourceTree::read).toList();
  }

  /** A class that users run, by the end of its path. */
  public static String ofClass(String path) {
    return javaFiles("src/main").stream()
        .filter(file -> file.endsWith(path))
        .map(SourceTree::read)
        .reduce(
            (one, other) -> {
              throw new IllegalStateException("there are two files " + path);
            })
        .orElseThrow(() -> new IllegalStateException("there is no file " + path));
  }

  /** Whether a class or a package of any module, tests included, has a name. */
  public static boolean has(String qualifiedName) {
    String path = qualifiedName.replace('.', '/');
    return sourceRoots().stream()
        .map(it -> it.resolve(path))
        .anyMatch(it -> Files.isDirectory(it) || Files.exists(Path.of(it + ".java")));
  }

  /** The simple names of all test classes. */
  public static List<String> tests() {
    return sourceRoots().stream()
        .filter(it -> it.endsWith("src/test/java"))
        .flatMap(SourceTree::walk)
        .map(it -> it.getFileName().toString())
        .filter(it -> it.endsWith("Test.java"))
        .map(it -> it.replace(".java", ""))
        .toList();
  }

  /** The whole of a file below the root. */
  public static String read(String file) {
    return read(ROOT.resolve(file));
  }

  /** The whole of a file. */
  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a pattern's first group matches. */
  public static List<String> find(String pattern, String text) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(text)
        .results()
        .map((MatchResult it) -> it.group(1))
        .toList();
  }

  private static List<Path> javaFiles(String sources) {
    return sourceRoots().stream()
        .filter(it -> ROOT.relativize(it).toString().startsWith("committer-"))
        .filter(it -> it.endsWith(sources + "/java"))
        .flatMap(SourceTree::walk)
        .filter(it -> it.toString().endsWith(".java"))
        .sorted()
        .toList();
  }

  private static List<Path> sourceRoots() {
    List<Path> roots = new ArrayList<>();
    for (String modules :
        List.of(
            "",
            "integration-tests",
            "integration-tests/hadoop-versions",
            "integration-tests/spark",
            "integration-tests/spark-suites")) {
      try (Stream<Path> children = Files.list(ROOT.resolve(modules))) {
        children
            .flatMap(it -> Stream.of(it.resolve("src/main/java"), it.resolve("src/test/java")))
            .filter(Files::isDirectory)
            .forEach(roots::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return roots;
  }

  private static Stream<Path> walk(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
