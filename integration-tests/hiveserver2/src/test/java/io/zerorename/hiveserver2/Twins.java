package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A session without the committer's hooks and one with them, which run the same statements on
 * tables of one definition.
 */
final class Twins implements Closeable {
  private static final Pattern OWN_NAME =
      Pattern.compile("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|_copy_[0-9]+");

  /** In a directory of its own on Hive's own path, before the name through the committer. */
  private static final Pattern BRANCH_OF_A_UNION = Pattern.compile("HIVE_UNION_SUBDIR_([0-9]+)/");

  private final S3Gateway gateway;
  private final BucketContents bucket;
  private final Session stock;
  private final Session ours;

  private Twins(S3Gateway gateway, BucketContents bucket, Session stock, Session ours) {
    this.gateway = gateway;
    this.bucket = bucket;
    this.stock = stock;
    this.ours = ours;
  }

  /**
   * Opens them, and makes what the statements read.
   *
   * @param forOurs statements for the session with the hooks to begin with
   */
  static Twins open(HiveServer2Process process, BucketContents bucket, String... forOurs)
      throws SQLException {
    Session stock = process.open();
    stock.execute("set hive.semantic.analyzer.hook=");
    stock.execute("set hive.query.lifetime.hooks=");
    Insert.createSource(stock);
    Session ours = process.open();
    for (String statement : forOurs) {
      ours.execute(statement);
    }
    return new Twins(process.gateway(), bucket, stock, ours);
  }

  /**
   * Runs a statement in both. Rows, files, partitions and statistics must be the same, and without
   * a COPY the ones of the committer.
   */
  void run(Insert insert) throws SQLException {
    for (Side side : Side.values()) {
      for (String letter : insert.definitions().keySet()) {
        stock.execute(
            side.sql(insert, insert.definitions().get(letter))
                + " location '"
                + Side.location(side.table(insert, letter))
                + "'");
      }
    }
    for (String fill : insert.before()) {
      assertThat(runStock(insert, fill, true).copies()).as(fill).isPositive();
      assertThat(runOurs(insert, fill, 1).copies()).as(fill).isZero();
    }
    RequestCounts counts = runStock(insert, insert.sql(), insert.stagesOnS3());
    if (insert.stagesOnS3()) {
      assertThat(counts.copies()).as(insert.sql()).isPositive();
    }
    assertThat(runOurs(insert, insert.sql(), insert.tables().size()).copies())
        .as(insert.sql())
        .isZero();
    int rows = 0;
    for (String letter : insert.tables()) {
      rows += assertSame(insert, Side.OURS.table(insert, letter), Side.STOCK.table(insert, letter));
    }
    assertThat(rows).as("rows after %s", insert.sql()).isEqualTo(insert.rows());
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  private RequestCounts runStock(Insert insert, String statement, boolean stagesOnS3)
      throws SQLException {
    stock.execute("set hive.use.scratchdir.for.staging=" + !stagesOnS3);
    RequestCounts before = gateway.counts();
    assertThat(stock.linesOfOurs(Side.STOCK.sql(insert, statement))).as(statement).isEmpty();
    return gateway.counts().minus(before);
  }

  private RequestCounts runOurs(Insert insert, String statement, int commits) throws SQLException {
    RequestCounts before = gateway.counts();
    assertThat(ours.linesOfOurs(Side.OURS.sql(insert, statement)))
        .as(statement)
        .hasSize(commits)
        .allMatch(line -> line.contains("zero-rename: committed "));
    return gateway.counts().minus(before);
  }

  /** Returns the number of rows. */
  private int assertSame(Insert insert, String table, String reference) throws SQLException {
    TableState state = TableState.of(ours, table);
    assertThat(state).as(insert.sql()).isEqualTo(TableState.of(stock, reference));
    assertThat(files(table)).as(insert.sql()).isEqualTo(files(reference));
    return state.rows().size();
  }

  /** Names and sizes, the job's UUID left out. */
  private List<String> files(String table) {
    String prefix = table + "/";
    return bucket.objects(prefix).entrySet().stream()
        .filter(file -> !file.getKey().endsWith("/"))
        .map(file -> file.getKey().substring(prefix.length()) + " " + file.getValue())
        .map(file -> OWN_NAME.matcher(file).replaceAll(""))
        .map(file -> BRANCH_OF_A_UNION.matcher(file).replaceAll("$1_"))
        .sorted()
        .toList();
  }

  @Override
  public void close() throws IOException {
    stock.close();
    ours.close();
  }

  /** Whose path a table is written on. */
  private enum Side {
    STOCK("stock"),
    OURS("magic");

    private final String suffix;

    Side(String suffix) {
      this.suffix = suffix;
    }

    String table(Insert insert, String letter) {
      return String.join("_", insert.name(), letter, suffix);
    }

    String sql(Insert insert, String template) {
      return template
          .replace("%a", table(insert, "a"))
          .replace("%b", table(insert, "b"))
          .replace("%l", location(table(insert, "a")));
    }

    static String location(String table) {
      return "s3a://" + HiveServer2OnS3.BUCKET + "/" + table;
    }
  }
}
