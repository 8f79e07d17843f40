package io.zerorename.results;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The test classes in the sources of a module. Each must have a report: a class that is renamed so
 * that Surefire does not find it, or whose methods all have the tag {@code thorough}, would vanish
 * from the build unseen. A class that is in the thorough tier as a whole has the tag itself.
 */
final class TestClasses {
  private static final Pattern FILE = Pattern.compile(".*(Test|IT)\\.java");
  private static final Pattern ABSTRACT =
      Pattern.compile("^(public )?abstract class ", Pattern.MULTILINE);
  private static final Pattern TAG = Pattern.compile("^@Tag\\(\"(\\w+)\"\\)", Pattern.MULTILINE);
  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);

  private TestClasses() {}

  /** The qualified names of those that a build runs; none for a module without sources. */
  static List<String> of(ExpectedModule module, String part, boolean thorough) {
    Path sources = SourceTree.root().resolve(module.directory()).resolve("src/test/java");
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> FILE.matcher(file.getFileName().toString()).matches())
          .filter(file -> isRun(SourceTree.read(file), part, thorough))
          .map(TestClasses::name)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isRun(String java, String part, boolean thorough) {
    List<String> tags = TAG.matcher(java).results().map(it -> it.group(1)).toList();
    boolean inPart =
        switch (part) {
          case "hive" -> !tags.contains("matrix");
          case "matrix", "stores" -> tags.contains(part);
          default -> true;
        };
    return inPart && (thorough || !tags.contains("thorough")) && !ABSTRACT.matcher(java).find();
  }

  private static String name(Path file) {
    String pack =
        PACKAGE.matcher(SourceTree.read(file)).results().findFirst().orElseThrow().group(1);
    return pack + "." + file.getFileName().toString().replace(".java", "");
  }
}
