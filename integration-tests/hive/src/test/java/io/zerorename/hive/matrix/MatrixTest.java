package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.zerorename.hive.HiveOnS3;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each statement of {@code src/test/resources/matrix}, in each of its formats, on an engine, with
 * the committer and without: what it leaves is the same, and what became of it is what {@code
 * docs/support-matrix.json} says. A class per engine, so that two JVMs share the work.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class MatrixTest {
  private static final boolean UPDATE = Boolean.getBoolean("matrix.update");

  private final HiveOnS3 s3 = HiveOnS3.shared();
  private final String engine;

  /**
   * @param engine of {@link Cell#ENGINES}
   */
  MatrixTest(String engine) {
    this.engine = engine;
  }

  List<Cell> cells() {
    return chosen().filter(cell -> cell.engine().equals(engine)).toList();
  }

  /** On all engines. */
  private static Stream<Cell> chosen() {
    boolean all = System.getProperty("matrix.cells", "").equals("all");
    Pattern only = Pattern.compile(System.getProperty("matrix.only", ".*"));
    return (all ? Cell.all() : Selection.ofQuickTier())
        .stream().filter(cell -> only.matcher(cell.key()).find());
  }

  /** Each engine has 94 cells, and four in the quick tier at least. */
  @BeforeAll
  void thereAreCellsUnlessSomeAreChosenByName() {
    String only = System.getProperty("matrix.only", ".*");
    if (only.equals(".*")) {
      boolean all = System.getProperty("matrix.cells", "").equals("all");
      assertThat(cells()).as("cells on " + engine).hasSizeGreaterThanOrEqualTo(all ? 90 : 4);
    }
    assertThat(chosen())
        .as("cells of this tier, on any engine, that match -Dmatrix.only=%s", only)
        .isNotEmpty();
    assumeFalse(cells().isEmpty(), () -> "no cell on " + engine + " matches " + only);
  }

  @BeforeAll
  void createSources() throws Exception {
    Sources.create(s3);
    s3.withTransactions();
  }

  @AfterAll
  void leaveOtherClassesAsTheyWere() {
    s3.withoutTransactions();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void endsAsOnHivesOwnPathAndAsTheSupportTableSays(Cell cell) throws Exception {
    CellResult result = CellRun.of(s3, cell);
    if (UPDATE) {
      Results.update(result);
    } else {
      assertThat(Results.earlier(result))
          .as(
              "docs/support-matrix.json says otherwise of %s; if that is right, run mvn verify"
                  + " -Pthorough -Dpart=matrix -Dmatrix.update",
              result)
          .matches(earlier -> earlier.filter(result::agreesWith).isPresent());
    }
  }
}
