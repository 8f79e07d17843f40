package io.zerorename.hive.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.zerorename.hive.HiveOnS3;
import io.zerorename.hive.TableLog;
import io.zerorename.testing.s3server.RequestType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hive.common.util.HiveVersionInfo;
import org.assertj.core.api.SoftAssertions;

/** Runs the statements of a cell on both paths, and compares what can be seen of them. */
final class CellRun {
  /** Reasons for which a table has no commit log, or nobody looks for it. */
  private static final Set<String> WITHOUT_LOG = Set.of("ACID", "DISABLED", "TEMPORARY_TABLE");

  private final HiveOnS3 s3;
  private final Cell cell;
  private final Side stock;
  private final Side ours;
  private final SoftAssertions checks = new SoftAssertions();
  private final List<Runnable> comparisons = new ArrayList<>();
  private final Set<String> outcomes = new TreeSet<>();
  private long requests;
  private long stockRequests;
  private Optional<String> stockFailure = Optional.empty();

  private CellRun(HiveOnS3 s3, Cell cell) {
    this.s3 = s3;
    this.cell = cell;
    this.stock = new Side(s3, cell, false);
    this.ours = new Side(s3, cell, true);
  }

  /** Runs a cell, and fails where the two paths differ in what they must not. */
  static CellResult of(HiveOnS3 s3, Cell cell) throws Exception {
    CellRun run = new CellRun(s3, cell);
    s3.reset();
    s3.hive().set("hive.execution.engine", cell.engine());
    // MR merges the files of map-only jobs unless told not to.
    s3.hive().set("hive.merge.mapfiles", "false");
    cell.shape().settings().forEach(s3.hive()::set);
    try {
      return run.result();
    } finally {
      run.ours.leave();
      s3.reset();
    }
  }

  private CellResult result() throws Exception {
    stock.create();
    ours.create();
    ours.checkCommitDirectory();
    int rows = 0;
    int stockRows = 0;
    for (String statement : cell.shape().runs()) {
      int compilations = checkPlan(statement);
      if (cell.shape().transactions()) {
        // Each takes an id, which is in names of directories and in files.
        for (int n = 0; n < compilations; n++) {
          stock.plan(statement, false);
        }
      }
      Step reference = stockFailure.isEmpty() ? stock.run(statement) : null;
      // A compilation alone leaves the marker of a static partition; it is not the committer's.
      List<String> markersBefore = Facts.markers(s3, ours.prefix());
      Step step = step(statement);
      rows = step.facts().rows();
      if (reference != null) {
        compare(step, reference, markersBefore);
        stockRows = reference.facts().rows();
        stockFailure = reference.failure();
      }
    }
    Optional<String> wrong = wrong(stockRows);
    if (wrong.isEmpty()) {
      comparisons.forEach(Runnable::run);
    }
    if (wrong.isEmpty() || outcomes.contains(Outcome.COMMITTED)) {
      checks.assertThat(rows).as("rows").isEqualTo(cell.shape().rows());
    }
    checks.assertAll();
    return new CellResult(
        HiveVersionInfo.getShortVersion(),
        cell.shape().id(),
        cell.format().key(),
        cell.engine(),
        outcomes.isEmpty() ? List.of(Outcome.UNTOUCHED) : List.copyOf(outcomes),
        outcomes.contains(Outcome.COMMITTED) ? requests : null,
        stockRequests,
        wrong.orElse(null));
  }

  private Optional<String> wrong(int stockRows) {
    if (stockFailure.isPresent()) {
      return stockFailure.map(message -> "fails: " + message.replaceAll(cell.name() + "\\S*", "…"));
    }
    return stockRows == cell.shape().rows()
        ? Optional.empty()
        : Optional.of("reads back " + stockRows + " of " + cell.shape().rows() + " rows");
  }

  /** Runs a statement with the committer, and checks what needs no comparison. */
  private Step step(String statement) throws Exception {
    Step step = ours.run(statement);
    outcomes.addAll(step.outcomes());
    requests += step.counts().total();
    if (step.committed()) {
      committed(step);
    }
    checks
        .assertThat(s3.bucket().pendingUploads(ours.prefix()))
        .as("pending uploads after %s", statement)
        .isEmpty();
    checks
        .assertThat(TableLog.below(s3.bucket(), ours.prefix()).notEnded())
        .as("entries that have not ended after %s", statement)
        .isEmpty();
    return step;
  }

  /**
   * With nothing but the committer's words on the console, the plan is the one of Hive alone.
   *
   * @return how often the statement has been compiled
   */
  private int checkPlan(String statement) throws Exception {
    String plan = ours.plan(statement, true);
    List<String> said = Outcome.in(s3.hive().console());
    if (said.isEmpty() || said.contains(Outcome.COMMITTED)) {
      return 1;
    }
    checks.assertThat(plan).as("plan of %s", statement).isEqualTo(ours.plan(statement, false));
    return 2;
  }

  /** LISTs that show that the table has no commit log, and behind an overwrite still none. */
  private long looks(String statement) {
    if (outcomes.stream().anyMatch(WITHOUT_LOG::contains)) {
      return 0;
    }
    return statement.contains(" overwrite ") ? 2 : 1;
  }

  private void committed(Step step) {
    checks.assertThat(step.failure()).as(step.statement()).isEmpty();
    checks.assertThat(step.counts().copies()).as("COPY in %s", step.statement()).isZero();
    List<RequestType> each =
        List.of(
            RequestType.CREATE_MULTIPART_UPLOAD,
            RequestType.UPLOAD_PART,
            RequestType.COMPLETE_MULTIPART_UPLOAD);
    checks
        .assertThat(step.newFiles())
        .as("requests per file of %s", step.statement())
        .allSatisfy(key -> assertThat(step.requestsFor(key)).as(key).isEqualTo(each));
  }

  private void compare(Step step, Step reference, List<String> markersBefore) {
    stockRequests += reference.counts().total();
    boolean leftToHive = outcomes.stream().noneMatch(Outcome.COMMITTED::equals);
    String statement = step.statement();
    comparisons.add(
        () -> {
          checks.assertThat(step.failure()).as(statement).isEqualTo(reference.failure());
          checks
              .assertThat(step.facts().tables())
              .as("tables after %s", statement)
              .isEqualTo(reference.facts().tables());
          checks
              .assertThat(step.facts().columnStatistics())
              .as("column statistics after %s", statement)
              .isEqualTo(reference.facts().columnStatistics());
          checks
              .assertThat(step.facts().files())
              .as("files after %s", statement)
              .isEqualTo(
                  leftToHive
                      ? reference.facts().files()
                      : reference.facts().filesWithoutDirectoriesOfUnions());
          checks
              .assertThat(step.facts().markers())
              .filteredOn(marker -> !markersBefore.contains(marker))
              .as("directory markers after %s", statement)
              .isSubsetOf(reference.facts().markers());
          checks
              .assertThat(step.changedSettings())
              .as("settings that %s changed", statement)
              .isSubsetOf(reference.changedSettings());
          if (leftToHive && !cell.shape().stockOnScratch()) {
            // Directory markers are looked for and written by several threads.
            long stockTotal = reference.counts().total();
            checks
                .assertThat(step.counts().total())
                .as("requests of %s", statement)
                .isCloseTo(stockTotal + looks(statement), within(Math.max(1, stockTotal / 20)));
            checks
                .assertThat(step.counts().copies())
                .as("COPY in %s", statement)
                .isEqualTo(reference.counts().copies());
          }
        });
  }
}
