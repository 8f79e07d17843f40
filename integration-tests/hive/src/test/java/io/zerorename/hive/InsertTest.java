package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same INSERTs on Hive's own rename path and through the committer: the same rows, partitions
 * and statistics, and the exact number of requests.
 */
class InsertTest {
  enum Shape {
    UNPARTITIONED("", "", "values (1, 'a'), (2, 'b'), (3, null)", 1),
    STATIC("partitioned by (p string)", "partition (p='x y')", "values (1, 'a'), (2, 'b')", 1),
    DYNAMIC(
        "partitioned by (p string)",
        "partition (p)",
        "values (1, 'a', 'p1'), (2, 'b', 'p2'), (3, 'c', 'ü/%:3'), (4, 'd', null)",
        4);

    private final String partitionedBy;
    private final String partition;
    private final String rows;
    private final int directories;

    Shape(String partitionedBy, String partition, String rows, int directories) {
      this.partitionedBy = partitionedBy;
      this.partition = partition;
      this.rows = rows;
      this.directories = directories;
    }

    String definition() {
      return "(a int, b string) " + partitionedBy + " stored as orc";
    }

    String insert(String table, boolean overwrite) {
      return "insert "
          + (overwrite ? "overwrite" : "into")
          + " table "
          + table
          + " "
          + partition
          + " "
          + rows;
    }
  }

  /**
   * @param uploaded whether small files are uploaded like large ones
   */
  record Case(Shape shape, boolean overwrite, boolean uploaded) {
    String table(String subject) {
      return String.join(
              "_",
              shape.name(),
              overwrite ? "overwrite" : "into",
              uploaded ? "uploaded" : "small",
              subject)
          .toLowerCase(Locale.ROOT);
    }
  }

  /** A table, a partition, several of them, and one whose tasks upload. */
  static List<Case> cases() {
    return List.of(
        new Case(Shape.UNPARTITIONED, true, false),
        new Case(Shape.STATIC, false, false),
        new Case(Shape.DYNAMIC, true, true));
  }

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @ParameterizedTest
  @MethodSource("cases")
  void insertEndsAsOnHivesOwnPathWithThreeRequestsPerFile(Case insert) throws Exception {
    if (insert.uploaded()) {
      s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    String stock = insert.table("stock");
    String ours = insert.table("ours");
    s3.withoutCommitter();
    run(insert, stock);
    RequestCounts stockCounts = run(insert, stock);
    s3.withCommitter();
    run(insert, ours);
    RequestRecording recording = s3.record();
    RequestCounts counts = run(insert, ours);
    recording.close();
    String console = s3.hive().console();

    assertThat(console).contains("zero-rename: committed INSERT");
    assertThat(TableState.of(s3.hive(), ours)).isEqualTo(TableState.of(s3.hive(), stock));

    long files = insert.shape().directories;
    assertThat(counts.copies()).isZero();
    assertThat(stockCounts.copies()).isGreaterThanOrEqualTo(4 * files);
    assertThat(counts.of(RequestType.CREATE_MULTIPART_UPLOAD)).isEqualTo(files);
    assertThat(counts.of(RequestType.UPLOAD_PART)).isEqualTo(files);
    assertThat(counts.of(RequestType.COMPLETE_MULTIPART_UPLOAD)).isEqualTo(files);
    assertThat(counts.of(RequestType.PUT_OBJECT))
        .as("the entry, its marker, the staging")
        .isEqualTo(3);
    assertThat(counts.of(RequestType.GET_OBJECT)).as("all earlier entries are quiet").isZero();
    assertThat(counts.of(RequestType.ABORT_MULTIPART_UPLOAD)).isZero();
    long uploadListings = insert.uploaded() ? 1 : 0;
    assertThat(counts.of(RequestType.LIST_MULTIPART_UPLOADS)).isEqualTo(uploadListings);
    long deletion = insert.overwrite() ? 1 : 0;
    assertThat(counts.of(RequestType.DELETE_OBJECTS))
        .as("old files, the staging directory")
        .isEqualTo(deletion + 1);
    long log = 1;
    // Those of tasks are sent by these.
    long smallFiles = insert.uploaded() ? 0 : 2 * files;
    long entry = 1;
    // From three on, partitions are listed together.
    long listings = files < 3 ? files : 1;
    long commit =
        log
            + uploadListings
            + smallFiles
            + entry
            + files
            + (insert.overwrite() ? listings : 0)
            + deletion;
    long marker = 1;
    long unusedStaging = 1;
    assertThat(console)
        .containsPattern(
            "zero-rename: committed INSERT \\S+ (of )?default\\."
                + ours
                + ": "
                + files
                + " files, [0-9]+ bytes, [0-9]+ old files replaced, 0 uploads aborted, "
                + commit
                + " S3 requests \\(.*\\), [0-9.]+ s \\(read log .*\\), [0-9.]+ files/s,"
                + " [0-9.]+ MB/s, job [-0-9a-f]{36}, entry [0-9]+");
    assertThat(counts.total())
        .as("create and upload, commit, and what Hive itself asks for: %s", recording.requests())
        .isEqualTo(
            (insert.uploaded() ? 2 * files : 0)
                + commit
                + marker
                + unusedStaging
                + requestsOfHive(insert, files));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.bucket().objects(ours + "/").keySet())
        .as("nothing under the table but data files and the markers that Hive makes")
        .allMatch(key -> key.equals(ours + "/") || key.matches(".*/000000_0\\.[-0-9a-f]{36}"));
  }

  private RequestCounts run(Case insert, String table) throws Exception {
    if (s3.hive().execute("show tables like '" + table + "'").isEmpty()) {
      s3.create(table, insert.shape().definition());
    }
    RequestCounts before = s3.counts();
    s3.hive().execute(insert.shape().insert(table, insert.overwrite()));
    return s3.counts().minus(before);
  }

  /** What Hive asks of S3 on its own account; docs/design/hive.md names each. */
  private static long requestsOfHive(Case insert, long directories) {
    long stagingDirectory = 4;
    // An overwrite knows what it leaves.
    // From three on, partitions are listed together.
    long listings = directories < 3 ? directories : 1;
    long statistics = insert.overwrite() ? 0 : listings;
    return stagingDirectory + statistics;
  }
}
