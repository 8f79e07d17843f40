package io.zerorename.hive.matrix;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of all cells, of which a build may run a part. */
final class Results {
  private static final Path COMMITTED = SourceTree.root().resolve("docs/support-matrix.json");
  private static final Path PAGE = SourceTree.root().resolve("docs/support.md");
  private static final Path LOCK =
      SourceTree.root().resolve("integration-tests/hive/target/matrix.lock");

  private Results() {}

  /** Those of the last run that was committed, in the order of the support table. */
  static List<CellResult> read() {
    try {
      return Arrays.asList(new ObjectMapper().readValue(COMMITTED.toFile(), CellResult[].class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What was found before of the cell that a result is of. */
  static Optional<CellResult> earlier(CellResult result) {
    return read().stream().filter(earlier -> earlier.key().equals(result.key())).findFirst();
  }

  /**
   * Makes a result what later builds must find, unless it agrees with what they must find now. The
   * JVMs of one build take turns.
   */
  static void update(CellResult result) throws IOException {
    Files.createDirectories(LOCK.getParent());
    try (FileChannel channel =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      List<CellResult> all = with(result);
      Files.writeString(COMMITTED, json(all.stream()));
      Files.writeString(PAGE, SupportPage.with(all, Files.readString(PAGE)));
    }
  }

  private static List<CellResult> with(CellResult result) {
    List<String> order = Cell.all().stream().map(Cell::key).toList();
    Map<String, CellResult> all = new LinkedHashMap<>();
    read().forEach(earlier -> all.put(earlier.key(), earlier));
    all.merge(result.key(), result, (earlier, now) -> now.agreesWith(earlier) ? earlier : now);
    return all.values().stream()
        .filter(each -> order.contains(each.cell()))
        .sorted(
            Comparator.comparing(CellResult::hive)
                .thenComparing(each -> order.indexOf(each.cell())))
        .toList();
  }

  /** One cell per line. */
  private static String json(Stream<CellResult> results) {
    ObjectMapper mapper = new ObjectMapper();
    return results
        .map(
            result -> {
              try {
                return mapper.writeValueAsString(result);
              } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
              }
            })
        .collect(Collectors.joining(",\n", "[\n", "\n]\n"));
  }
}
