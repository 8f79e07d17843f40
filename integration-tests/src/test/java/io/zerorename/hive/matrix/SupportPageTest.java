package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The support table is that of the results, and they are those of the cells that there are. */
class SupportPageTest {
  /** Without results so far; the page has a dash for them. */
  private static final List<String> NOT_RUN =
      List.of(
          "from-view",
          "reducers",
          "join",
          "odd-values",
          "list-bucketed",
          "acid",
          "insert-only",
          "merge",
          "parallel",
          "not-vectorized",
          "no-column-statistics",
          "no-statistics",
          "gzip",
          "uploads",
          "scratch-staging",
          "switched-off");

  @Test
  void pageIsMadeOfTheResults() throws Exception {
    assertThat(Files.readString(Project.root("docs/support.md")))
        .as("run mvn verify -Pmatrix -Dmatrix.update, or only -Dmatrix.only of a cell")
        .isEqualTo(SupportPage.of(Results.read()));
  }

  @Test
  void resultsAreOfTheCellsThatThereAre() {
    List<CellResult> results = Results.read();
    assertThat(results.stream().map(CellResult::cell))
        .isSubsetOf(Cell.all().stream().map(Cell::key).toList());
    assertThat(results.stream().map(CellResult::key)).doesNotHaveDuplicates();
  }

  @Test
  void buildRunsEachShapeThatHasBeenRunAndEachFormatAndEngine() {
    List<Cell> chosen = Selection.pairwise(Cell.withResults());

    assertThat(chosen).hasSizeLessThanOrEqualTo(60);
    List<String> ran = chosen.stream().map(cell -> cell.shape().id()).distinct().toList();
    assertThat(ShapeReader.all().stream().map(Shape::id))
        .filteredOn(id -> !ran.contains(id))
        .as("lines of the support table that no build runs")
        .containsExactlyInAnyOrderElementsOf(NOT_RUN);
    assertThat(chosen.stream().map(Cell::format)).contains(Format.values());
    assertThat(chosen.stream().map(Cell::engine)).containsAll(Cell.ENGINES);
  }
}
