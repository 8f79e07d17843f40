package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.statements.Format;
import io.zerorename.testing.statements.Shape;
import io.zerorename.testing.statements.ShapeReader;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The support table is that of the results, and they are those of the cells that there are. */
class SupportPageTest {
  @Test
  void tablesAreMadeOfTheResults() throws Exception {
    String page = SourceTree.read("docs/support.md");
    assertThat(page)
        .as(
            "run mvn verify -Pthorough -Dpart=matrix -Dmatrix.update, or only -Dmatrix.only of a cell")
        .isEqualTo(SupportPage.with(Results.read(), page));
  }

  @Test
  void eachCellHasAResultOfEachVersion() {
    List<CellResult> results = Results.read();
    assertThat(results).isNotEmpty();
    for (String hive : results.stream().map(CellResult::hive).distinct().toList()) {
      assertThat(results.stream().filter(result -> result.hive().equals(hive)))
          .extracting(CellResult::cell)
          .as("cells of Hive %s; run mvn verify -Pthorough -Dpart=matrix -Dmatrix.update", hive)
          .containsExactlyElementsOf(Cell.all().stream().map(Cell::key).toList());
    }
  }

  @Test
  void quickTierRunsEachGroupFormatEngineAndOutcome() {
    List<Cell> chosen = Selection.ofQuickTier();

    assertThat(chosen)
        .extracting(cell -> cell.shape().group())
        .containsAll(ShapeReader.all().stream().map(Shape::group).toList());
    assertThat(chosen).extracting(Cell::format).contains(Format.values());
    assertThat(chosen).extracting(Cell::engine).containsAll(Cell.ENGINES);
    assertThat(Results.read().stream().filter(it -> has(chosen, it)).map(CellResult::outcome))
        .contains(List.of(Outcome.COMMITTED), List.of("CONDITIONAL_TASK"));
  }

  private static boolean has(List<Cell> cells, CellResult result) {
    return cells.stream().map(Cell::key).anyMatch(result.cell()::equals);
  }
}
