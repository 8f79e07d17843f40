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
  void eachCellHasAResultOfEachVersion() {
    List<CellResult> results = Results.read();
    for (String hive : results.stream().map(CellResult::hive).distinct().toList()) {
      assertThat(results.stream().filter(result -> result.hive().equals(hive)))
          .extracting(CellResult::cell)
          .as("cells of Hive %s; run mvn verify -Pmatrix -Dmatrix.update", hive)
          .containsExactlyElementsOf(Cell.all().stream().map(Cell::key).toList());
    }
  }

  @Test
  void buildRunsEachShapeAndFormatAndBothEnginesAlike() {
    List<Cell> chosen = Selection.ofOrdinaryBuild();

    assertThat(chosen).extracting(Cell::shape).containsAll(ShapeReader.all());
    assertThat(chosen).extracting(Cell::format).contains(Format.values());
    assertThat(chosen).hasSizeLessThanOrEqualTo(ShapeReader.all().size() + 2);
    List<Integer> statements =
        Cell.ENGINES.stream()
            .map(
                engine ->
                    chosen.stream()
                        .filter(cell -> cell.engine().equals(engine))
                        .mapToInt(cell -> cell.shape().runs().size())
                        .sum())
            .toList();
    assertThat(statements.get(0)).isBetween(statements.get(1) - 4, statements.get(1) + 4);
  }
}
