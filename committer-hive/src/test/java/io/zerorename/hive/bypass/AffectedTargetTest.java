package io.zerorename.hive.bypass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.zerorename.hive.bypass.StatementKind.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.TableName;
import org.apache.hadoop.hive.metastore.TableType;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.ddl.DDLTask;
import org.apache.hadoop.hive.ql.ddl.DDLWork;
import org.apache.hadoop.hive.ql.ddl.table.misc.truncate.TruncateTableDesc;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.hooks.ReadEntity;
import org.apache.hadoop.hive.ql.hooks.WriteEntity;
import org.apache.hadoop.hive.ql.hooks.WriteEntity.WriteType;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.HiveOperation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which statements need the log: REMOVE and DROP an entry afterwards, KEEP that interrupted commits
 * are resumed before.
 */
class AffectedTargetTest {
  private static final Configuration CONF = new Configuration();

  private final QueryPlan plan = mock(QueryPlan.class);
  private final Set<WriteEntity> outputs = new HashSet<>();
  private final Set<ReadEntity> inputs = new HashSet<>();
  private final List<Task<?>> rootTasks = new ArrayList<>();
  private final Table table = table("t");

  @BeforeEach
  void plan() {
    when(plan.getOutputs()).thenReturn(outputs);
    when(plan.getInputs()).thenReturn(inputs);
    when(plan.getRootTasks()).thenReturn(new ArrayList<>(rootTasks));
  }

  private static Table table(String name) {
    Table table = new Table("default", name);
    table.setDataLocation(new Path("s3a://bucket/" + name));
    table.setTableType(TableType.MANAGED_TABLE);
    return table;
  }

  @ParameterizedTest
  @CsvSource({
    "TRUNCATETABLE,             DDL_EXCL_WRITE,   REMOVE",
    "ALTERTABLE_DROPPARTS,      DDL_EXCLUSIVE,    REMOVE",
    "DROPTABLE,                 DDL_EXCLUSIVE,    DROP",
    "DROPDATABASE,              DDL_EXCLUSIVE,    DROP",
    // An INSERT that falls back.
    "QUERY,                     INSERT,           KEEP",
    "QUERY,                     INSERT_OVERWRITE, REMOVE",
    "EXECUTE,                   INSERT,           KEEP",
    "LOAD,                      INSERT,           KEEP",
    "LOAD,                      INSERT_OVERWRITE, REMOVE",
    "IMPORT,                    INSERT,           KEEP",
    "ALTERTABLE_MERGEFILES,     DDL_EXCLUSIVE,    KEEP",
    "ALTERPARTITION_MERGEFILES, DDL_EXCLUSIVE,    KEEP",
    "ALTERTABLE_RENAME,         DDL_EXCLUSIVE,    KEEP",
    "ALTERTABLE_RENAMEPART,     DDL_EXCLUSIVE,    KEEP",
    "ALTERTABLE_LOCATION,       DDL_EXCLUSIVE,    KEEP",
    "ALTERPARTITION_LOCATION,   DDL_EXCLUSIVE,    KEEP",
    "ALTERTABLE_EXCHANGEPARTITION, DDL_EXCLUSIVE, KEEP",
    "ALTERTABLE_ARCHIVE,        DDL_EXCLUSIVE,    KEEP",
    "MSCK,                      DDL_SHARED,       KEEP",
  })
  void statementChangesFiles(HiveOperation operation, WriteType type, Change change)
      throws Exception {
    run(operation, new WriteEntity(table, type));
    assertThat(targets())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.change()).isEqualTo(change);
              assertThat(it.target().name()).isEqualTo("default.t");
              assertThat(it.within()).containsExactly(table.getPath());
            });
  }

  @ParameterizedTest
  @CsvSource({
    // ANALYZE is a query to Hive.
    "QUERY,                DDL_SHARED",
    "QUERY,                DDL_NO_LOCK",
    "CREATETABLE,          DDL_NO_LOCK",
    "CREATETABLE_AS_SELECT, INSERT",
    "ALTERTABLE_ADDPARTS,  DDL_SHARED",
    "ALTERTABLE_PROPERTIES, DDL_EXCLUSIVE",
    "EXPORT,               INSERT",
  })
  void statementChangesNoFiles(HiveOperation operation, WriteType type) throws Exception {
    run(operation, new WriteEntity(table, type));
    assertThat(targets()).isEmpty();
  }

  @Test
  void dropLeavesTheFilesOfAnExternalTableUnlessItIsPurged() throws Exception {
    table.setTableType(TableType.EXTERNAL_TABLE);
    for (HiveOperation operation : List.of(HiveOperation.DROPTABLE, HiveOperation.DROPDATABASE)) {
      run(operation, new WriteEntity(table, WriteType.DDL_EXCLUSIVE));
      assertThat(targets()).as(operation.name()).isEmpty();
    }
    run(HiveOperation.ALTERTABLE_DROPPARTS, new WriteEntity(table, WriteType.DDL_EXCLUSIVE));
    assertThat(targets()).extracting(AffectedTarget::change).containsExactly(Change.KEEP);
    table.setProperty("external.table.purge", "TRUE");
    assertThat(targets()).extracting(AffectedTarget::change).containsExactly(Change.REMOVE);
  }

  @Test
  void tableOfWhichHiveNamesOnlyThatItIsReadIsConverted() throws Exception {
    inputs.add(new ReadEntity(table));
    run(HiveOperation.ALTERTABLE_CONVERT);
    assertThat(targets()).extracting(AffectedTarget::change).containsExactly(Change.KEEP);
  }

  @Test
  void tableThatTheCommitterDoesNotWriteIsNotAffected() throws Exception {
    run(HiveOperation.DROPTABLE, new WriteEntity(table, WriteType.DDL_EXCLUSIVE));
    assertThat(targets()).hasSize(1);

    table.setProperty("transactional", "true");
    assertThat(targets()).as("of Hive's transactions").isEmpty();
    table.setProperty("transactional", "false");
    table.setProperty("storage_handler", "some.Handler");
    assertThat(targets()).as("of a storage handler").isEmpty();
    table.getParameters().remove("storage_handler");
    table.setTableType(TableType.MATERIALIZED_VIEW);
    assertThat(targets()).as("materialized view").isEmpty();
    table.setTableType(TableType.VIRTUAL_VIEW);
    assertThat(targets()).as("view").isEmpty();
    table.setTableType(TableType.MANAGED_TABLE);
    table.setTemporary(true);
    assertThat(targets()).as("temporary").isEmpty();
    table.setTemporary(false);
    table.setDataLocation(new Path("file:/t"));
    assertThat(targets()).as("not on S3").isEmpty();
    table.setDataLocation(new Path("s3a://b--usw2-az1--x-s3/t"));
    assertThat(targets()).as("where the committer writes nothing").isEmpty();
  }

  /** Hive does not name the partitions of interrupted INSERTs, which it does not know. */
  @Test
  void truncateOfATableCoversAllOfIt() throws Exception {
    partitioned();
    truncate(null, null);
    run(
        HiveOperation.TRUNCATETABLE,
        new WriteEntity(partition("1", "s3a://bucket/t/p=1"), WriteType.DDL_EXCL_WRITE));
    assertThat(targets())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.change()).isEqualTo(Change.REMOVE);
              assertThat(it.within()).contains(table.getPath());
            });
  }

  @Test
  void truncateOfAPartitionCoversThatOne() throws Exception {
    partitioned();
    truncate(Map.of("p", "1"), null);
    run(
        HiveOperation.TRUNCATETABLE,
        new WriteEntity(partition("1", "s3a://other/p"), WriteType.DDL_EXCL_WRITE));
    assertThat(targets())
        .singleElement()
        .satisfies(it -> assertThat(it.within()).containsExactly(new Path("s3a://other/p")));
  }

  @Test
  void truncateOfColumnsKeepsRows() throws Exception {
    truncate(null, List.of(0));
    run(HiveOperation.TRUNCATETABLE, new WriteEntity(table, WriteType.DDL_EXCL_WRITE));
    assertThat(targets())
        .singleElement()
        .satisfies(it -> assertThat(it.change()).isEqualTo(Change.KEEP));
  }

  private void run(HiveOperation operation, WriteEntity... written) {
    when(plan.getOperation()).thenReturn(operation);
    outputs.clear();
    outputs.addAll(List.of(written));
  }

  private List<AffectedTarget> targets() throws Exception {
    return AffectedTarget.of(plan, List.of(), CONF);
  }

  private void partitioned() {
    table.setPartCols(List.of(new FieldSchema("p", "string", "")));
  }

  private Partition partition(String value, String location) throws Exception {
    return new Partition(table, new HashMap<>(Map.of("p", value)), new Path(location));
  }

  private void truncate(Map<String, String> partition, List<Integer> columns) {
    TruncateTableDesc truncate =
        new TruncateTableDesc(
            new TableName("hive", "default", "t"),
            partition,
            null,
            table,
            columns,
            null,
            null,
            null);
    DDLTask task = new DDLTask();
    task.setWork(new DDLWork(new HashSet<>(), new HashSet<>(), truncate));
    when(plan.getRootTasks()).thenReturn(new ArrayList<>(List.of(task)));
  }
}
