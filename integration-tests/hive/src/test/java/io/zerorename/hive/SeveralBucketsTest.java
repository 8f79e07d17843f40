package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.fallback.FallbackReason;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Partitions of one table in several buckets, among which rows choose: one job and one decision,
 * uploads and deletions in each bucket.
 */
class SeveralBucketsTest {
  private static final String TABLE =
      "create external table %s (a int, b string) partitioned by (p string, q int) stored as"
          + " textfile location %l";

  /** Two partitions in the other bucket. */
  private static final String ELSEWHERE =
      "alter table %s add partition (p='x', q=1) location 's3a://warehouse-other/%s/one' partition"
          + " (p='y', q=2) location 's3a://warehouse-other/%s/two'";

  /** One row for each of them, and one for a partition in the table's bucket. */
  private static final String ROWS =
      "partition (p, q) values (1, 'a', 'x', 1), (2, 'b', 'y', 2), (3, 'c', 'z', 3)";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() {
    s3.reset();
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.hive().set("tez.am.task.max.failed.attempts", "1");
    s3.hive().set(CoreKeys.RECOVERY_PATIENCE.name(), "0");
  }

  @Tag("thorough")
  @Test
  void rowsGoToTheBucketOfThePartitionThatTheyChoose() throws Exception {
    assertRowsGoToTheirBuckets("tez", "512K");
  }

  @ParameterizedTest
  @Tag("thorough")
  @CsvSource({"tez, 0", "mr, 512K"})
  void soTheyDoOnMapReduceAndWhereNoFileIsSmall(String engine, String small) throws Exception {
    assertRowsGoToTheirBuckets(engine, small);
  }

  private void assertRowsGoToTheirBuckets(String engine, String small) throws Exception {
    s3.hive().set("hive.execution.engine", engine);
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), small);
    TwinTables twins =
        TwinTables.create(s3, "buckets_" + engine + "_" + small.toLowerCase(Locale.ROOT), TABLE)
            .prepare(ELSEWHERE);

    twins
        .insert("insert into %s partition (p, q) " + rows("x 1", "X 1", "y 2", "Z 3", "z 3"))
        .insert("insert into %s partition (p, q) " + rows("X 1", "y 2", "z 3", "z 4"))
        .insert("insert overwrite table %s partition (p, q) " + rows("X 1", "x 1", "Z 3"))
        .insert("insert overwrite table %s partition (p='x', q) select 7, 'one', 1")
        .insert("insert into %s partition (p='y', q) " + "values (8, 'two', 2), (9, 'new', 4)");

    assertThat(twins.query("select a, length(b), p, q from %s"))
        .contains("7\t3\tx\t1", "8\t3\ty\t2", "9\t3\ty\t4", "2\t700000\tz\t3");
    assertThat(s3.otherBucket().files(twins.ours() + "/"))
        .as("nothing but data files")
        .hasSize(1 + 3)
        .allMatch(key -> key.matches(".*/(one|two)/\\d_?\\d+_0\\.[-0-9a-f]{36}"));
    assertThat(s3.otherBucket().objects("").keySet())
        .noneMatch(key -> key.contains("_zerorename") || key.contains("staging"));
    assertThat(s3.bucket().files(twins.ours() + "/"))
        .isNotEmpty()
        .allMatch(key -> key.matches(".*/p=[yz]/q=[34]/.*_0\\.[-0-9a-f]{36}"));
  }

  /** A row each, of the partition that it names; a capital letter stands for a long one. */
  private static String rows(String... partitions) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      String[] partition = partitions[i].split(" ", 2);
      boolean isLong = partition[0].matches("[A-Z]");
      rows.add(
          "struct(%d, %s, '%s', %s)"
              .formatted(
                  i,
                  isLong ? "repeat('b', 700000)" : "'short'",
                  partition[0].toLowerCase(Locale.ROOT),
                  partition[1]));
    }
    return "select inline(array(" + String.join(", ", rows) + "))";
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"true, 0, 14", "false, 512K, 12", "false, 0, 13"})
  void filesOfTheOtherBucketTakeThreeRequestsEachAndNothingElseIsSentThereInOtherCases(
      boolean overwrite, String small, long ofTable) throws Exception {
    filesOfTheOtherBucketTakeThreeRequestsEachAndNothingElseIsSentThere(overwrite, small, ofTable);
  }

  @ParameterizedTest
  @CsvSource({"true, 512K, 13"})
  void filesOfTheOtherBucketTakeThreeRequestsEachAndNothingElseIsSentThere(
      boolean overwrite, String small, long ofTable) throws Exception {
    s3.withCommitter();
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), small);
    String table = "buckets_counted_" + overwrite + "_" + small.toLowerCase(Locale.ROOT);
    create(table);
    String statement = "insert " + (overwrite ? "overwrite" : "into") + " table " + table + " ";
    s3.hive().execute(statement + ROWS);

    RequestRecording recording = s3.record();
    s3.hive().execute(statement + ROWS);
    recording.close();

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT", " 3 files, ");
    SortedMap<RequestType, Long> expected =
        new TreeMap<>(
            Map.of(
                RequestType.CREATE_MULTIPART_UPLOAD, 2L,
                RequestType.UPLOAD_PART, 2L,
                RequestType.COMPLETE_MULTIPART_UPLOAD, 2L,
                // Old files or, of what an INTO does not know, the number of all.
                RequestType.LIST_OBJECTS_V2, 2L));
    if (overwrite) {
      expected.put(RequestType.DELETE_OBJECTS, 1L);
    }
    if (small.equals("0")) {
      // Of tasks, in each location.
      expected.put(RequestType.LIST_MULTIPART_UPLOADS, 2L);
    }
    assertThat(counts(recording, HiveOnS3.OTHER_BUCKET)).isEqualTo(expected);
    assertThat(counts(recording, HiveOnS3.BUCKET).values().stream().mapToLong(it -> it).sum())
        .as("as for a table of one file: %s", recording.requests())
        .isEqualTo(ofTable);
    assertNothingPending();
  }

  private static SortedMap<RequestType, Long> counts(RequestRecording recording, String bucket) {
    return recording.requests().stream()
        .filter(request -> request.bucket().equals(bucket))
        .collect(Collectors.groupingBy(S3Request::type, TreeMap::new, Collectors.counting()));
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"warehouse-other, LIST_OBJECTS_V2"})
  void failedListingLeavesNothingInEitherBucket(String bucket, RequestType type) throws Exception {
    failureBeforeTheDecisionLeavesNothingInEitherBucket(bucket, type);
  }

  @ParameterizedTest
  @CsvSource({"warehouse, UPLOAD_PART"})
  void failureBeforeTheDecisionLeavesNothingInEitherBucket(String bucket, RequestType type)
      throws Exception {
    assertNothingIsLeftAfter(bucket, type);
  }

  @ParameterizedTest
  @Tag("thorough")
  @CsvSource({"warehouse-other, CREATE_MULTIPART_UPLOAD", "warehouse-other, UPLOAD_PART"})
  void failingUploadToTheOtherBucketLeavesNothingInEither(String bucket, RequestType type)
      throws Exception {
    assertNothingIsLeftAfter(bucket, type);
  }

  private void assertNothingIsLeftAfter(String bucket, RequestType type) throws Exception {
    s3.withCommitter();
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String table = filledTable("buckets_fail_" + bucket.replace('-', '_') + "_" + type);
    List<SortedMap<String, Long>> before = objects(table);
    s3.server().gateway().faults(refusal(bucket, type, table));

    assertFails("insert overwrite table " + table + " " + ROWS);
    s3.server().gateway().faults(FaultRule.NONE);

    assertThat(s3.hive().console()).contains("was not committed");
    assertThat(objects(table)).isEqualTo(before);
    assertNothingPending();
  }

  @Tag("thorough")
  @Test
  void failingTaskLeavesNothingInEitherBucket() throws Exception {
    s3.withCommitter();
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    // One writer at a time, so that those before have closed their files.
    s3.hive().set("hive.optimize.sort.dynamic.partition.threshold", "1");
    String table = filledTable("buckets_fail_task");
    List<SortedMap<String, Long>> before = objects(table);
    RequestCounts counts = s3.counts();

    assertFails(
        "insert overwrite table "
            + table
            + " partition (p, q) select if(assert_true(p < 'z') is null, a, 0), b, p, q from (select"
            + " * from "
            + table
            + " distribute by 1 sort by p) rows_in_order");

    assertThat(s3.hive().console()).contains("was not committed; nothing of it is visible");
    assertThat(objects(table)).isEqualTo(before);
    assertThat(s3.counts().minus(counts).copies()).isZero();
    assertNothingPending();
  }

  @Test
  void commitWhoseOldFilesOneBucketKeepsIsRepairedByTheNextInsert() throws Exception {
    assertNextInsertRepairs(RequestType.DELETE_OBJECTS);
  }

  @Test
  @Tag("thorough")
  void commitThatOneBucketRefusesToCompleteIsRepairedByTheNextInsert() throws Exception {
    assertNextInsertRepairs(RequestType.COMPLETE_MULTIPART_UPLOAD);
  }

  private void assertNextInsertRepairs(RequestType type) throws Exception {
    s3.withCommitter();
    String table = filledTable("buckets_repaired_" + type);
    List<SortedMap<String, Long>> before = objects(table);
    s3.server().gateway().faults(refusal(HiveOnS3.OTHER_BUCKET, type, ""));

    assertFails("insert overwrite table " + table + " " + ROWS);
    s3.server().gateway().faults(FaultRule.NONE);

    assertThat(s3.hive().console())
        .contains("is committed, but could not be completed")
        .contains("zerorename recover --also s3a://warehouse-other/" + table + "/");
    assertThat(s3.otherBucket().objects(table + "/")).containsAllEntriesOf(before.get(1));

    s3.hive().execute("insert into " + table + " partition (p, q) values (4, 'd', 'w', 4)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).contains("and interrupted; it is complete now");
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("1\ta\tx\t1", "2\tb\ty\t2", "3\tc\tz\t3", "4\td\tw\t4");
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("4");
    assertNothingPending();
  }

  /** What stands in the way in the other bucket, and the reason that is told. */
  enum Obstacle {
    SWITCHED_OFF(
        FallbackReason.DISABLED,
        "zerorename.bucket.warehouse-other.hive.enabled=false; a partition is at"
            + " s3a://warehouse-other/",
        "zerorename.bucket.warehouse-other.hive.enabled=false"),
    BAD_VALUE(
        FallbackReason.BAD_CONFIGURATION,
        "zerorename.bucket.warehouse-other.upload.part.size is \"many\"",
        "zerorename.bucket.warehouse-other.upload.part.size=many"),
    ENCRYPTED_BY_THE_CLIENT(
        FallbackReason.CLIENT_SIDE_ENCRYPTION,
        "CSE-KMS; a partition is at s3a://warehouse-other/",
        "fs.s3a.bucket.warehouse-other.encryption.algorithm=CSE-KMS"),
    NO_MULTIPART(
        FallbackReason.MULTIPART_OFF,
        "(a partition is at s3a://warehouse-other/",
        "fs.s3a.bucket.warehouse-other.multipart.uploads.enabled=false"),
    TRASH(
        FallbackReason.TRASH,
        "(a partition is at s3a://warehouse-other/",
        "fs.trash.interval=60",
        "zerorename.bucket.warehouse.hive.trash=delete"),
    RECORDS(
        FallbackReason.BAD_CONFIGURATION,
        "neither it nor the partition at s3a://warehouse-other/buckets_records/one may lie",
        "zerorename.commit.dir=s3a://warehouse-other/buckets_records"),
    DELEGATION_TOKENS(
        FallbackReason.CUSTOM_PARTITION_LOCATION,
        "delegation tokens for the table's bucket only",
        "fs.s3a.bucket.warehouse-other.delegation.token.binding=some.Binding");

    private final FallbackReason reason;
    private final String told;
    private final String settings;

    Obstacle(FallbackReason reason, String told, String... settings) {
      this.reason = reason;
      this.told = told;
      this.settings = String.join("\n", settings);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatStandsInTheWayInTheOtherBucketIsTheReasonForHivesOwnPath(Obstacle obstacle)
      throws Exception {
    s3.withCommitter();
    String table = "buckets_" + obstacle.name().toLowerCase(Locale.ROOT);
    create(table);
    obstacle
        .settings
        .lines()
        .map(line -> line.split("=", 2))
        .forEach(setting -> s3.hive().set(setting[0], setting[1]));

    s3.hive().compile("insert overwrite table " + table + " " + ROWS);
    assertThat(s3.hive().console())
        .contains("is written by Hive's own rename path: " + obstacle.reason + ", ")
        .contains(obstacle.told);

    s3.hive().compile("insert overwrite table " + table + " partition (p='z', q) select 1, 'b', 3");
    assertThat(s3.hive().console()).as("rows cannot choose it").doesNotContain("zero-rename");
  }

  @ParameterizedTest
  @CsvSource({
    "s3a://warehouse-other/, is a whole bucket",
    "s3a://warehouse-other/buckets_nested/one/below, is in s3a://warehouse-other/buckets_nested/one"
  })
  void locationsThatOverlapKeepHivesOwnPath(String location, String told) throws Exception {
    s3.withCommitter();
    s3.hive().execute("drop table if exists buckets_nested");
    create("buckets_nested");
    s3.hive()
        .execute(
            "alter table buckets_nested add partition (p='v', q=9) location '" + location + "'");

    s3.hive().compile("insert into buckets_nested " + ROWS);

    assertThat(s3.hive().console()).contains("path: CUSTOM_PARTITION_LOCATION", told);
  }

  @Tag("thorough")
  @Test
  void partitionOnAnotherFileSystemKeepsHivesOwnPathOnlyWhereRowsMayChooseIt() throws Exception {
    TwinTables twins = TwinTables.create(s3, "buckets_local", TABLE).prepare(ELSEWHERE);
    twins.prepare(
        "alter table %s add partition (p='l', q=5) location 'file:"
            + s3.hive().directory()
            + "/%s/local'");
    String statement =
        "insert overwrite table %s partition (p, q) values (1, 'a', 'x', 1), (5, 'e', 'l', 5)";

    // Staged on S3, Hive cannot copy to another bucket: "S3AFileSystem doesn't support setXAttr".
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    s3.withoutCommitter();
    s3.hive().execute(statement.replace("%s", twins.stock()));
    s3.withCommitter();
    s3.hive().execute(statement.replace("%s", twins.ours()));

    assertThat(s3.hive().console())
        .contains("path: CUSTOM_PARTITION_LOCATION", "/local is not on S3A");
    assertThat(twins.query("select * from %s")).containsExactly("1\ta\tx\t1", "5\te\tl\t5");
    assertThat(TableState.of(s3.hive(), twins.ours()))
        .isEqualTo(TableState.of(s3.hive(), twins.stock()));

    twins.insert("insert overwrite table %s partition (p='x', q) values (6, 'f', 1), (7, 'g', 2)");

    assertThat(twins.query("select * from %s"))
        .containsExactly("5\te\tl\t5", "6\tf\tx\t1", "7\tg\tx\t2");
  }

  @Test
  @Tag("thorough")
  void otherSchemeOfS3aIsAnotherBucketsAsWell() throws Exception {
    s3.hive().set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    TwinTables twins =
        TwinTables.create(s3, "buckets_scheme", TABLE)
            .prepare(ELSEWHERE.replace("s3a://warehouse-other/%s/one", "s3://warehouse/%s-one"));

    twins
        .insert("insert into %s " + ROWS)
        .insert("insert into %s " + ROWS)
        .insert("insert overwrite table %s " + ROWS);

    assertThat(s3.bucket().files(twins.ours() + "-one/")).hasSize(1);
    assertThat(twins.query("select * from %s")).hasSize(3);
  }

  private void create(String table) throws Exception {
    s3.hive().execute(TABLE.replace("%s", table).replace("%l", "'s3a://warehouse/" + table + "'"));
    s3.hive().execute(ELSEWHERE.replace("%s", table));
  }

  /** With old rows in all three partitions. */
  private String filledTable(String name) throws Exception {
    String table = name.toLowerCase(Locale.ROOT);
    create(table);
    s3.hive()
        .execute(
            "insert into "
                + table
                + " partition (p, q) values (10, 'old', 'x', 1), (20, 'old', 'y', 2), (30, 'old',"
                + " 'z', 3)");
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    return table;
  }

  private static FaultRule refusal(String bucket, RequestType type, String place) {
    return always(
        request ->
            request.bucket().equals(bucket)
                && request.type() == type
                && request.prefix().orElse(request.key()).startsWith(place),
        Fault.accessDenied());
  }

  private void assertFails(String statement) {
    assertThatThrownBy(() -> s3.hive().execute(statement))
        .isInstanceOf(StatementFailedException.class);
  }

  private List<SortedMap<String, Long>> objects(String table) {
    return List.of(s3.bucket().objects(table + "/"), s3.otherBucket().objects(table + "/"));
  }

  private void assertNothingPending() {
    for (BucketContents bucket : List.of(s3.bucket(), s3.otherBucket())) {
      assertThat(bucket.pendingUploads("")).as(bucket.bucket()).isEmpty();
    }
  }
}
