package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The support table is that of the results, and they are those of the cells that there are. */
class SupportPageTest {
  @Test
  void pageIsMadeOfTheResults() throws Exception {
    assertThat(Files.readString(Project.root("docs/support.md")))
        .as("run mvn verify -Pmatrix -Dmatrix.update, or only -Dmatrix.only of a cell")
        .isEqualTo(SupportPage.of(Results.read()));
  }

  @Test
  void cellsOfTheBuildHaveResultsAndAllResultsHaveCells() {
    List<CellResult> results = Results.read();
    assertThat(results.stream().map(CellResult::cell).distinct())
        .containsAll(Selection.pairwise(Cell.all()).stream().map(Cell::key).toList())
        .isSubsetOf(Cell.all().stream().map(Cell::key).toList());
    assertThat(results.stream().map(CellResult::key)).doesNotHaveDuplicates();
  }

  @Test
  void buildRunsEachShapeAndEachFormatOnEachEngine() {
    List<Cell> all = Cell.all();
    List<Cell> chosen = Selection.pairwise(all);

    assertThat(chosen).hasSizeLessThanOrEqualTo(60);
    assertThat(chosen.stream().map(Cell::shape).distinct())
        .containsExactlyElementsOf(ShapeReader.all());
    assertThat(chosen.stream().map(cell -> cell.format() + " " + cell.engine()).distinct())
        .containsExactlyInAnyOrderElementsOf(
            all.stream().map(cell -> cell.format() + " " + cell.engine()).distinct().toList());
  }
}
