package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.HiveOnS3;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each statement of {@code src/test/resources/matrix}, in each of its formats, on each engine, with
 * the committer and without: what it leaves is the same, and what became of it is what {@code
 * docs/support-matrix.json} says.
 */
class MatrixTest {
  private static final boolean UPDATE = Boolean.getBoolean("matrix.update");
  private static final Results RESULTS = new Results();

  private final HiveOnS3 s3 = HiveOnS3.shared();

  static List<Cell> cells() {
    boolean all = System.getProperty("matrix.cells", "").equals("all");
    Pattern only = Pattern.compile(System.getProperty("matrix.only", ".*"));
    return (all ? Cell.all() : Selection.pairwise(UPDATE ? Cell.all() : Cell.withResults()))
        .stream().filter(cell -> only.matcher(cell.key()).find()).toList();
  }

  @BeforeAll
  static void createSources() throws Exception {
    HiveOnS3 s3 = HiveOnS3.shared();
    Sources.create(s3);
    s3.createTransactionTables();
  }

  @ParameterizedTest
  @MethodSource("cells")
  void endsAsOnHivesOwnPathAndAsTheSupportTableSays(Cell cell) throws Exception {
    CellResult result = CellRun.of(s3, cell);
    RESULTS.add(result, UPDATE);
    if (!UPDATE) {
      assertThat(RESULTS.committed(result))
          .as(
              "docs/support-matrix.json says otherwise of %s; if that is right, run mvn verify"
                  + " -Pmatrix -Dmatrix.update",
              result)
          .matches(earlier -> earlier.filter(result::agreesWith).isPresent());
    }
  }
}
