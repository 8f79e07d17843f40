package io.zerorename.hive.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.IMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the metastore is told of partitions, after a commit and after a recovery. */
class RegisteredPartitionsTest {
  private static final Path LOCATION = new Path("s3a://bucket/t");

  private final IMetaStoreClient client = mock(IMetaStoreClient.class);
  private final Hive hive = mock(Hive.class);
  private final Table table = new Table("default", "t");

  /** What the metastore takes. */
  private final List<Partition> added = new ArrayList<>();

  @BeforeEach
  void allButTheSecondPartitionAreTaken() throws Exception {
    table.setDataLocation(LOCATION);
    table.setPartCols(List.of(new FieldSchema("p", "int", "")));
    when(hive.getMSC()).thenReturn(client);
    when(client.add_partitions(any(), anyBoolean(), anyBoolean()))
        .thenAnswer(
            call -> {
              List<Partition> partitions = call.getArgument(0);
              if (partitions.stream().anyMatch(it -> it.getValues().contains("2"))) {
                throw new MetaException("not this one");
              }
              added.addAll(partitions);
              return partitions;
            });
  }

  @Test
  void aRecoveryAddsThePartitionsBesideOneThatIsRefused() {
    RecoveredPartitions recovered = new RecoveredPartitions(hive, table);
    assertThatThrownBy(
            () ->
                recovered.register(
                    Stream.of("p=1", "p=2", "p=3", "p=4")
                        .map(name -> new Path(LOCATION, name))
                        .toList(),
                    false))
        .isInstanceOf(HiveException.class)
        .hasMessage("ZR-5305: the metastore refuses [p=2]: not this one");
    assertThat(added)
        .extracting(Partition::getValues)
        .containsExactly(List.of("1"), List.of("3"), List.of("4"));
    assertThat(recovered.messages()).hasSize(3);
  }

  @Test
  void aRecoveryMarksTheRowsOfKnownPartitionsAsUnknown() throws Exception {
    org.apache.hadoop.hive.ql.metadata.Partition known =
        new org.apache.hadoop.hive.ql.metadata.Partition(
            table, Map.of("p", "1"), new Path(LOCATION, "p=1"));
    known.getTPartition().setParameters(new HashMap<>());
    StatsSetupConst.setBasicStatsState(known.getParameters(), StatsSetupConst.TRUE);
    when(hive.getPartitionsByNames(table, List.of("p=1"))).thenReturn(List.of(known));
    new RecoveredPartitions(hive, table).register(List.of(new Path(LOCATION, "p=1")), false);
    assertThat(added).isEmpty();
    assertThat(StatsSetupConst.areBasicStatsUptoDate(known.getParameters())).isFalse();
    verify(client)
        .alter_partitions(
            eq("default"), eq("t"), eq(List.of(known.getTPartition())), any(), any(), anyLong());
  }

  /** One may have been dropped with a location of its own, or two with one, behind the decision. */
  @Test
  void aNewPartitionIsWhereItsFilesAre() throws Exception {
    Path shared = new Path("s3a://bucket/elsewhere");
    new NewPartitions(hive, new HiveConf(), mock(LogHelper.class))
        .add(
            table,
            Map.of("p=1", shared, "p=3", shared),
            place -> false,
            Map.of(shared, new FileTotals(1, 10)),
            Map.of());
    assertThat(added)
        .extracting(
            it -> it.getSd().getLocation(), it -> it.getParameters().get(StatsSetupConst.NUM_FILES))
        .containsExactly(tuple(shared.toString(), "1"), tuple(shared.toString(), "1"));
  }

  @Test
  void rowsOfANewPartitionAreKnownUnlessFilesOfOthersAreThere() throws Exception {
    Path one = new Path(LOCATION, "p=1");
    Path three = new Path(LOCATION, "p=3");
    FileTotals written = new FileTotals(1, 10);
    NewPartitions partitions = new NewPartitions(hive, new HiveConf(), mock(LogHelper.class));
    partitions.add(
        table,
        Map.of("p=1", one, "p=3", three),
        place -> false,
        Map.of(one, written, three, written),
        Map.of(three, new FileTotals(2, 20)));
    assertThat(added)
        .extracting(
            it -> it.getValues().get(0),
            it -> StatsSetupConst.areBasicStatsUptoDate(it.getParameters()),
            it -> it.getParameters().get(StatsSetupConst.NUM_FILES))
        .containsExactlyInAnyOrder(tuple("1", true, "1"), tuple("3", false, "3"));
    assertThat(partitions.uncounted()).containsExactly("p=3");
  }
}
