package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.InsertListener.Told;
import java.util.List;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * With {@code hive.metastore.dml.events} listeners of the metastore are told which files a
 * statement has added, and whether they replace the others: the same as on Hive's own path, when
 * the files are there.
 */
class DmlEventsTest {
  private static final String PLAIN = "(a int) stored as orc";
  private static final String PARTITIONED = "(a int) partitioned by (p string) stored as orc";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void listen() {
    InsertListener.install(s3);
    s3.hive().set("hive.merge.mapfiles", "false");
  }

  @AfterEach
  void listenNoMore() {
    Hive.closeCurrent();
  }

  @Tag("thorough")
  @Test
  void ofATable() throws Exception {
    TwinTables twins = TwinTables.create(s3, "events_plain", PLAIN);
    for (String statement :
        List.of(
            "insert into %s select 1",
            "insert into %s select 2",
            "insert into %s select 3 where 1 = 0",
            "insert overwrite table %s select 4",
            "insert overwrite table %s select 5 where 1 = 0")) {
      assertSameEvents(twins, statement, 1);
    }
  }

  @Tag("thorough")
  @Test
  void ofPartitions() throws Exception {
    TwinTables twins = TwinTables.create(s3, "events_parts", PARTITIONED);
    // Of a new partition there is no insert, but an event of its own.
    assertSameEvents(twins, "insert into %s partition (p='a') select 1", 1);
    assertSameEvents(twins, "insert into %s partition (p='a') select 2", 1);
    assertSameEvents(twins, "insert overwrite table %s partition (p='c:d') select 3", 1);
    assertSameEvents(
        twins, "insert into %s partition (p) values (4, 'a'), (5, 'c:d'), (6, 'e')", 3);
    assertSameEvents(
        twins, "insert overwrite table %s partition (p) values (7, 'a'), (8, 'e'), (9, 'f')", 3);
    assertSameEvents(twins, "insert overwrite table %s partition (p='a') select 1 where 1 = 0", 1);
    assertSameEvents(twins, "insert into %s partition (p='h') select 1 where 1 = 0", 1);
    twins.prepare("alter table %s add partition (p='g') location 's3a://warehouse/%s-else'");
    InsertListener.told();
    assertSameEvents(twins, "insert overwrite table %s partition (p='g') select 10", 1);
  }

  @Test
  void withChecksumsWhereS3AMakesThemOfETags() throws Exception {
    s3.hive().set("fs.s3a.etag.checksum.enabled", "true");
    // Of a bucket whose file system is not there yet with another setting.
    s3.server().createBucket("events-sums");
    TwinTables twins =
        TwinTables.create(s3, "events_sums", "(a int) stored as textfile", "s3a://events-sums/%s");
    List<Told> told = assertSameEvents(twins, "insert into %s select 1", 1);
    assertThat(told.get(0).checksums()).singleElement().asString().isNotEmpty();
  }

  @Test
  void statementOfWhichNobodyCanBeToldFailsAfterItsCommit() throws Exception {
    TwinTables twins = TwinTables.create(s3, "events_refused", PLAIN);
    s3.withCommitter();
    InsertListener.failOnce();
    s3.failure("insert into " + twins.ours() + " select 1");
    assertThat(s3.hive().console())
        .contains("the metastore could not send its events")
        .contains("failed after its data was committed. All of its files are in place");
    assertThat(s3.hive().conf().getBoolean("hive.metastore.dml.events", false)).isTrue();
    assertThat(s3.hive().execute("select * from " + twins.ours())).containsExactly("1");
  }

  /**
   * Runs a statement on both.
   *
   * @return what was told of ours
   */
  private List<Told> assertSameEvents(TwinTables twins, String statement, int events)
      throws Exception {
    s3.withoutCommitter();
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    s3.hive().execute(statement.replace("%s", twins.stock()));
    List<Told> stock = InsertListener.told();
    s3.hive().set("hive.use.scratchdir.for.staging", "false");
    s3.withCommitter();
    s3.hive().execute(statement.replace("%s", twins.ours()));
    List<Told> ours = InsertListener.told();

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    assertThat(stock).as(statement).hasSize(events);
    assertThat(ours.stream().map(DmlEventsTest::withoutEtags).toList())
        .as(statement)
        .isEqualTo(stock.stream().map(DmlEventsTest::withoutEtags).toList());
    assertThat(ours).allSatisfy(told -> assertThat(told.missing()).isEmpty());
    assertThat(s3.hive().conf().getBoolean("hive.metastore.dml.events", false)).isTrue();
    assertThat(TableState.of(s3.hive(), twins.ours()))
        .as(statement)
        .isEqualTo(TableState.of(s3.hive(), twins.stock()));
    return ours;
  }

  /** The ETag of an upload of one part is not that of a PUT of the same bytes. */
  private static Told withoutEtags(Told told) {
    return new Told(
        told.what(),
        told.partition(),
        told.replace(),
        told.files(),
        told.checksums().stream().map(sum -> sum.isEmpty() ? "" : "an ETag").toList(),
        told.missing());
  }
}
