package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What users have reported of Hive and of other committers, for odd names, old objects and rare
 * settings: an INSERT ends there as on Hive's own path.
 */
@Tag("thorough")
class OddTablesTest {
  /** Hive's own path cannot write below a location with braces, which it takes for a pattern. */
  private static final String ODD_LOCATION = "s3a://warehouse/%s of [x]*? #1 🙂";

  private static final List<String> ODD_VALUES =
      List.of("[x]", "#", "🙂", "a//b", "/a/", "*?{a,b}", "100%", "%2F", "x=y", ". .", "_u", ".h");

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @Test
  void locationAndPartitionMayHaveOddNames() throws Exception {
    TwinTables twins =
        TwinTables.create(
            s3, "odd_names", "(a int) partitioned by (p string) stored as orc", ODD_LOCATION);
    String rows =
        ODD_VALUES.stream().map(it -> "(1, '" + it + "')").collect(Collectors.joining(", "));

    twins
        .insert("insert into %s partition (p) values " + rows)
        .insert("insert overwrite table %s partition (p) values " + rows)
        .insert("insert into %s partition (p='[x]') values (2)")
        .insert("insert overwrite table %s partition (p='🙂') values (3)");

    assertThat(twins.query("select a, count(*) from %s group by a"))
        .containsExactly("1\t" + (ODD_VALUES.size() - 1), "2\t1", "3\t1");
    assertThat(twins.query("select a from %s where p = '[x]'")).containsExactly("1", "2");
    assertThat(twins.query("select a from %s where p = '🙂'")).containsExactly("3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3a://warehouse//%s", "s3a://warehouse/%s/"})
  void locationMayHaveSlashesThatDoNotCount(String location) throws Exception {
    TwinTables twins =
        TwinTables.create(
            s3,
            "odd_slashes_" + (location.endsWith("/") ? "after" : "before"),
            "(a int) partitioned by (p int) stored as orc",
            location);
    twins
        .insert("insert into %s partition (p) values (1, 1), (2, 2)")
        .insert("insert into %s partition (p=1) values (3)")
        .insert("insert overwrite table %s partition (p) values (4, 1)")
        .insert("insert overwrite table %s partition (p=2) values (5)");

    assertThat(twins.query("select * from %s")).containsExactly("4\t1", "5\t2");
  }

  @Test
  void sourceMayBeACteThatHiveMaterializes() throws Exception {
    SourceRows.create(s3.hive());
    s3.hive().set("hive.optimize.cte.materialize.threshold", "1");
    s3.hive().set("hive.optimize.cte.materialize.full.aggregate.only", "false");
    String cte = "with c as (select a, b from source_rows) ";
    TwinTables twins = table("cte", "partition (p)");
    assertThat(
            s3.hive()
                .compile(cte + "insert into " + twins.ours() + " partition (p=1) select a from c"))
        .contains("default.c");

    twins
        .insert(cte + "insert into %s partition (p=1) select a from c")
        .insert(cte + "insert overwrite table %s partition (p) select a, a from c where a > 1")
        .insert(
            cte
                + "from c insert into %s partition (p=1) select a insert overwrite table %s"
                + " partition (p=2) select a + 10");
  }

  @ParameterizedTest
  @CsvSource({"partition (p=1), ''", "'', ''", "partition (p), ', 1'"})
  void overwriteReplacesWhatAUnionAndMarkersLeft(String partition, String dynamic)
      throws Exception {
    SourceRows.create(s3.hive());
    TwinTables twins = table("union_left_" + partition.length(), partition);
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    s3.hive().set("mapreduce.input.fileinputformat.input.dir.recursive", "true");
    twins.prepare(
        String.format(
            "insert into %%s %s select a%s from source_rows union all select a + 10%s from"
                + " source_rows",
            partition, dynamic, dynamic));
    for (String table : List.of(twins.stock(), twins.ours())) {
      assertThat(s3.bucket().files(table + "/"))
          .anyMatch(key -> key.contains("/HIVE_UNION_SUBDIR_1/"));
      for (String marker :
          List.of(
              "_$folder$",
              "/p=1_$folder$",
              "/p=7_$folder$",
              "/p=1/HIVE_UNION_SUBDIR_1_$folder$",
              "/HIVE_UNION_SUBDIR_2_$folder$")) {
        s3.bucket().write(table + marker, new byte[0]);
      }
    }

    // S3A's listings leave the markers out. So Hive's own path does not delete them, and moves the
    // new files one level deeper, into the directory that still seems to be there.
    for (String statement :
        List.of("insert overwrite table %s " + partition, "insert into %s " + partition)) {
      String values = " values (7" + dynamic + ")";
      s3.withoutCommitter();
      s3.hive().execute(statement.replace("%s", twins.stock()) + values);
      s3.withCommitter();
      s3.hive().execute(statement.replace("%s", twins.ours()) + values);
      assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
      assertThat(TableState.of(s3.hive(), twins.ours()))
          .isEqualTo(TableState.of(s3.hive(), twins.stock()));
    }
    assertThat(twins.query("select a from %s")).containsExactly("7", "7");
  }

  @ParameterizedTest
  @CsvSource({"staging, dotless", "/odd-staging/here, outside"})
  void stagingDirectoryMayBeElsewhere(String staging, String name) throws Exception {
    s3.hive().set("hive.exec.stagingdir", staging);
    TwinTables partitioned = table("odd_" + name + "_p", "partition (p)");
    TwinTables flat = table("odd_" + name, "");
    partitioned
        .insert("insert into %s partition (p) values (1, 1), (2, 2)")
        .insert("insert overwrite table %s partition (p) values (3, 1)")
        .insert("insert overwrite table %s partition (p=2) values (4)")
        .insert("insert into %s partition (p=2) values (5)");
    flat.insert("insert into %s values (1)")
        .insert("insert overwrite table %s values (2)")
        .insert("insert into %s values (3)");

    assertThat(partitioned.query("select * from %s")).containsExactly("3\t1", "4\t2", "5\t2");
    assertThat(flat.query("select * from %s")).containsExactly("2", "3");
    assertThat(s3.bucket().objects("odd_" + name).keySet())
        .noneMatch(key -> key.contains("staging"));
    assertThat(s3.bucket().files("odd-staging/")).isEmpty();
  }

  private TwinTables table(String name, String partition) throws Exception {
    return TwinTables.create(
        s3,
        name,
        "(a int) " + (partition.isEmpty() ? "" : "partitioned by (p int)") + " stored as orc");
  }
}
