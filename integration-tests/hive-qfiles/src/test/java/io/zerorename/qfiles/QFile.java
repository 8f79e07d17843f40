package io.zerorename.qfiles;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A q-file of Hive's source release.
 *
 * @param dataSets what it wants to be there before
 * @param statements without comments, in order; also settings, and commands of Hive's shell
 */
record QFile(List<String> dataSets, List<String> statements) {
  private static final Path SOURCE = Path.of(System.getProperty("qfiles.source"));
  private static final Pattern DATA_SET =
      Pattern.compile("^--! ?qt:dataset:([\\w.,: ]+)", Pattern.MULTILINE);

  /** A comment, a literal, a quoted name, or one character. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "--.*|'(?:\\\\.|[^'\\\\])*+'|\"(?:\\\\.|[^\"\\\\])*+\"|`[^`]*+`|(?s:.)",
          Pattern.UNIX_LINES);

  /** One of the tests that Hive passes. */
  static QFile positive(String name) throws IOException {
    return read(SOURCE.resolve("ql/src/test/queries/clientpositive/" + name));
  }

  /** The statements that load a data set. */
  static QFile loadOf(String dataSet) throws IOException {
    return read(data().resolve("datasets/" + dataSet + "/load.hive.sql"));
  }

  /** The directory with the data of all. */
  static Path data() {
    return SOURCE.resolve("data/files");
  }

  private static QFile read(Path file) throws IOException {
    String text = Files.readString(file, UTF_8);
    List<String> dataSets =
        DATA_SET
            .matcher(text)
            .results()
            .flatMap(it -> Stream.of(it.group(1).replace(":ONLY", "").split(",")))
            .map(String::strip)
            .toList();
    return new QFile(dataSets, split(text));
  }

  private static List<String> split(String text) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    Matcher token = TOKEN.matcher(text + ";");
    while (token.find()) {
      if (token.group().equals(";")) {
        statements.add(statement.toString().strip());
        statement.setLength(0);
      } else if (!token.group().startsWith("--")) {
        statement.append(token.group());
      }
    }
    statements.removeIf(String::isEmpty);
    return statements;
  }
}
