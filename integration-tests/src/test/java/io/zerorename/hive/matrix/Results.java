package io.zerorename.hive.matrix;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final Path COMMITTED = Project.root("docs/support-matrix.json");
  private static final Path PAGE = Project.root("docs/support.md");
  private static final Path OF_THIS_BUILD = Project.directory("target/matrix.json");

  private final Map<String, CellResult> committed = new LinkedHashMap<>();
  private final Map<String, CellResult> ran = new LinkedHashMap<>();

  Results() {
    for (CellResult result : read()) {
      committed.put(result.key(), result);
    }
  }

  /** Those of the last run that was committed, in the order of the support table. */
  static List<CellResult> read() {
    if (!Files.exists(COMMITTED)) {
      return List.of();
    }
    try {
      return Arrays.asList(new ObjectMapper().readValue(COMMITTED.toFile(), CellResult[].class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<CellResult> committed(CellResult result) {
    return Optional.ofNullable(committed.get(result.key()));
  }

  /**
   * Notes what this build has found.
   *
   * @param update whether it becomes what later builds must find
   */
  void add(CellResult result, boolean update) throws IOException {
    ran.put(result.key(), result);
    Files.createDirectories(OF_THIS_BUILD.getParent());
    Files.writeString(OF_THIS_BUILD, json(ran.values().stream()));
    if (update) {
      List<CellResult> all = merged();
      Files.writeString(COMMITTED, json(all.stream()));
      Files.writeString(PAGE, SupportPage.of(all));
    }
  }

  /** An earlier result is kept where the new one agrees with it, or where there is no new one. */
  private List<CellResult> merged() {
    List<String> order = Cell.all().stream().map(Cell::key).toList();
    Map<String, CellResult> all = new LinkedHashMap<>(committed);
    ran.forEach(
        (key, result) ->
            all.merge(key, result, (earlier, now) -> now.agreesWith(earlier) ? earlier : now));
    return all.values().stream()
        .filter(result -> order.contains(result.cell()))
        .sorted(
            Comparator.comparing(CellResult::hive)
                .thenComparing(result -> order.indexOf(result.cell())))
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
