package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.S3Gateway;
import io.zerorename.testing.statements.Format;
import io.zerorename.testing.statements.Shape;
import io.zerorename.testing.statements.ShapeReader;
import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A session without the committer's hooks and one with them, which run the statements of the
 * support matrix, each in a database of its own.
 */
final class Twins implements Closeable {
  private static final Pattern OWN_NAME =
      Pattern.compile("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|_copy_[0-9]+");

  /** In a directory of its own on Hive's own path, before the name through the committer. */
  private static final Pattern BRANCH_OF_A_UNION =
      Pattern.compile("HIVE_UNION_SUBDIR_([0-9]+)(_copy_[0-9]+)?/");

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
    stock.execute("create database src");
    stock.execute("create table src.nothing (a int, b string, p string)");
    stock.execute("create table src.few (a int, b string, p string, q int)");
    stock.execute(
        "insert into src.few values (1, 'a', 'p1', 10), (2, 'b', 'p2', 20), (3, null, 'p3', 10),"
            + " (4, 'd', 'p1', 20), (5, 'e', 'p2', 10), (6, 'f', 'p1', 20)");
    // The metastore makes its table of partitions' statistics of columns for an INSERT INTO alone.
    stock.execute("create table src.parted (a int) partitioned by (p string)");
    stock.execute("insert into src.parted partition (p) values (1, '1')");
    Session ours = process.open();
    for (String statement : forOurs) {
      ours.execute(statement);
    }
    return new Twins(process.gateway(), bucket, stock, ours);
  }

  /**
   * Runs the statements of a shape in both. Rows, files, partitions and statistics must be the
   * same, and without a COPY the ones of the committer.
   *
   * @param cell the shape and the format
   */
  void run(String cell) throws SQLException {
    String[] words = cell.split(" ", -1);
    Shape shape =
        ShapeReader.all().stream().filter(it -> it.id().equals(words[0])).findFirst().orElseThrow();
    Format format = Format.of(words[1]);
    String name = cell.replaceAll("[ -]", "_");
    for (String side : List.of("hive", "ours")) {
      String root = root(name, side);
      stock.execute(
          "create database %s_%s location '%s' managedlocation '%s/managed'"
              .formatted(name, side, root, root));
      stock.execute("use " + name + "_" + side);
      for (String statement : shape.setup()) {
        stock.execute(expanded(statement, format, root));
      }
    }
    stock.execute("use " + name + "_hive");
    stock.execute("set hive.use.scratchdir.for.staging=" + shape.stockOnScratch());
    ours.execute("use " + name + "_ours");
    for (String statement : shape.runs()) {
      RequestCounts before = gateway.counts();
      assertThat(stock.linesOfOurs(expanded(statement, format, root(name, "hive"))))
          .as(statement)
          .isEmpty();
      if (!shape.stockOnScratch()) {
        assertThat(gateway.counts().minus(before).copies()).as(statement).isPositive();
      }
      before = gateway.counts();
      assertThat(ours.linesOfOurs(expanded(statement, format, root(name, "ours"))))
          .as(statement)
          .isNotEmpty()
          .allMatch(line -> line.contains("zero-rename: committed "));
      assertThat(gateway.counts().minus(before).copies()).as(statement).isZero();
      int rows = 0;
      for (String table : ours.rows("show tables")) {
        TableState state = TableState.of(ours, name + "_ours." + table);
        assertThat(state)
            .as("%s after %s", table, statement)
            .isEqualTo(TableState.of(stock, name + "_hive." + table));
        rows += state.rows().size();
      }
      assertThat(files(name, "ours")).as(statement).isEqualTo(files(name, "hive"));
      if (statement.equals(shape.runs().get(shape.runs().size() - 1))) {
        assertThat(rows).as("rows after %s", statement).isEqualTo(shape.rows());
      }
    }
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  private static String expanded(String statement, Format format, String root) {
    return statement.replace("${stored}", format.stored()).replace("${root}", root);
  }

  private static String root(String name, String side) {
    return "s3a://" + HiveServer2OnS3.BUCKET + "/" + name + "/" + side;
  }

  /** Names and sizes, the job's UUID left out. */
  private List<String> files(String name, String side) {
    String prefix = name + "/" + side + "/";
    return bucket.objects(prefix).entrySet().stream()
        .filter(file -> !file.getKey().endsWith("/") && !file.getKey().contains("/_zerorename/"))
        .map(file -> file.getKey().substring(prefix.length()) + " " + file.getValue())
        .map(file -> BRANCH_OF_A_UNION.matcher(file).replaceAll("$1_"))
        .map(file -> OWN_NAME.matcher(file).replaceAll(""))
        .sorted()
        .toList();
  }

  @Override
  public void close() throws IOException {
    stock.close();
    ours.close();
  }
}
