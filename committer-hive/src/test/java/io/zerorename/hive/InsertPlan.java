package io.zerorename.hive;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.IMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.GetPartitionsResponse;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.PartitionListComposingSpec;
import org.apache.hadoop.hive.metastore.api.PartitionSpec;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.ql.CompilationOpContext;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.MoveTask;
import org.apache.hadoop.hive.ql.exec.Operator;
import org.apache.hadoop.hive.ql.exec.StatsTask;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.exec.mr.MapRedTask;
import org.apache.hadoop.hive.ql.exec.tez.TezTask;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.io.orc.OrcInputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.BasicStatsWork;
import org.apache.hadoop.hive.ql.plan.DynamicPartitionCtx;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc;
import org.apache.hadoop.hive.ql.plan.LoadTableDesc.LoadFileType;
import org.apache.hadoop.hive.ql.plan.MapWork;
import org.apache.hadoop.hive.ql.plan.MapredWork;
import org.apache.hadoop.hive.ql.plan.MoveWork;
import org.apache.hadoop.hive.ql.plan.StatsWork;
import org.apache.hadoop.hive.ql.plan.TableDesc;
import org.apache.hadoop.hive.ql.plan.TezWork;

/**
 * The plan of an eligible INSERT on Tez, of Hive's own objects, and its session. A test changes
 * what it is about. Only the metastore and the work of the statistics task are mocks.
 */
public final class InsertPlan {
  public static final String BUCKET = "bucket";
  private static final HiveConf DEFAULTS = defaults();

  private final HiveConf conf = new HiveConf(DEFAULTS);
  private final Hive hive = mock(Hive.class);
  private final IMetaStoreClient client = mock(IMetaStoreClient.class);
  private final Map<String, Operator<?>> operators = new LinkedHashMap<>();
  private Task<?> writer;
  private final List<Target> targets = new ArrayList<>();
  private Statement statement = Statement.QUERY;

  /** One target of the statement: what writes, moves and counts its files. */
  public record Target(Table table, FileSinkOperator sink, MoveTask move, StatsTask statistics) {
    public FileSinkDesc desc() {
      return sink.getConf();
    }

    public LoadTableDesc load() {
      return move.getWork().getLoadTableWork();
    }
  }

  private InsertPlan() {
    MapWork map = new MapWork("Map 1");
    map.setAliasToWork(operators);
    TezWork work = new TezWork("query");
    work.add(map);
    TezTask task = new TezTask();
    task.setId("Stage-1");
    task.setWork(work);
    writer = task;
  }

  private static HiveConf defaults() {
    HiveConf conf = new HiveConf();
    conf.setVar(ConfVars.HIVE_QUERY_LIFETIME_HOOKS, HiveKeys.HOOK);
    conf.setVar(ConfVars.SCRATCH_DIR, "file:/tmp/scratch");
    conf.set("fs.s3a.access.key", "none");
    conf.set("fs.s3a.secret.key", "none");
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    return conf;
  }

  /** INSERT INTO default.t, at s3a://bucket/t. */
  public static InsertPlan intoTable() throws Exception {
    InsertPlan plan = new InsertPlan();
    Table table = plan.table("t");
    plan.add(table, table.getPath());
    return plan;
  }

  /** A table default.name, at s3a://bucket/name. */
  public Table table(String name) {
    Table table = new Table("default", name);
    table.setDataLocation(new Path("s3a://" + BUCKET + "/" + name));
    return table;
  }

  /** Adds a target, as a multi-insert has several. */
  public Target add(Table table, Path destination) {
    int number = targets.size();
    Path staging = new Path("s3a://" + BUCKET + "/staging/" + number + "/-ext-10000");
    Properties properties = new Properties();
    properties.setProperty("name", table.getFullyQualifiedName());
    TableDesc described = new TableDesc(OrcInputFormat.class, OrcOutputFormat.class, properties);
    FileSinkDesc desc =
        new FileSinkDesc(
            staging,
            described,
            false,
            1,
            false,
            false,
            1,
            1,
            List.of(),
            null,
            destination,
            false,
            false,
            false,
            false,
            false,
            AcidUtils.Operation.NOT_ACID,
            false);
    desc.setTable(table);
    FileSinkOperator sink = addSink(desc);
    LoadTableDesc load =
        new LoadTableDesc(staging, described, new HashMap<>(), LoadFileType.KEEP_EXISTING, null);
    load.setMdTable(table);
    MoveTask move = new MoveTask();
    move.setId("Stage-" + (10 + number));
    move.setWork(new MoveWork(null, null, load, null, false));
    StatsTask statistics = new StatsTask();
    statistics.setId("Stage-" + (20 + number));
    // Its own constructor needs a session.
    StatsWork counts = mock(StatsWork.class);
    when(counts.getBasicStatsWork()).thenReturn(new BasicStatsWork(load));
    statistics.setWork(counts);
    writer.addDependentTask(move);
    move.addDependentTask(statistics);
    Target target = new Target(table, sink, move, statistics);
    targets.add(target);
    return target;
  }

  /** Adds a sink to the task that writes. */
  public FileSinkOperator addSink(FileSinkDesc desc) {
    FileSinkOperator sink = new FileSinkOperator(new CompilationOpContext());
    sink.setConf(desc);
    operators.put("source" + operators.size(), sink);
    return sink;
  }

  /**
   * Turns the sink into a branch of a UNION ALL, which writes below the directory that is moved.
   */
  public void makeBranch() {
    target().desc().setLinkedFileSink(true);
    target().desc().setDirName(new Path(target().desc().getDirName(), "1"));
  }

  /** Lets a job of MapReduce write. */
  public void writeByMapReduce() {
    MapRedTask job = new MapRedTask();
    job.setId("Stage-1");
    job.setWork(new MapredWork());
    job.getWork().getMapWork().setAliasToWork(operators);
    List.copyOf(writer.getChildTasks()).forEach(job::addDependentTask);
    writer.getChildTasks().forEach(move -> move.getParentTasks().remove(writer));
    writer = job;
  }

  public void makeDynamic(Target target) {
    DynamicPartitionCtx context = new DynamicPartitionCtx();
    context.setDPColNames(List.of("p"));
    context.setNumDPCols(1);
    target.desc().setDynPartCtx(context);
    target.load().setDPCtx(context);
  }

  /** Lets the rows choose partitions of the first target's table, of which there are none. */
  public InsertPlan choosingPartitions() throws Exception {
    target().table().setPartCols(List.of(new FieldSchema("p", "int", "")));
    makeDynamic(target());
    partitionsAt();
    return this;
  }

  public InsertPlan overwriting() {
    target().load().setInsertOverwrite(true);
    return this;
  }

  /** Lets the metastore know partitions p=0, p=1, … at these locations. */
  public void partitionsAt(String... locations) throws Exception {
    List<Partition> partitions = new ArrayList<>();
    for (String location : locations) {
      Partition partition = new Partition();
      partition.setValues(List.of(Integer.toString(partitions.size())));
      partition.setSd(new StorageDescriptor());
      partition.getSd().setLocation(location);
      partitions.add(partition);
    }
    PartitionSpec all = new PartitionSpec();
    all.setPartitionList(new PartitionListComposingSpec(partitions));
    when(hive.getMSC()).thenReturn(client);
    when(client.getPartitionsWithSpecs(any())).thenReturn(new GetPartitionsResponse(List.of(all)));
  }

  public HiveConf conf() {
    return conf;
  }

  public Hive hive() {
    return hive;
  }

  public Task<?> writer() {
    return writer;
  }

  public List<Task<?>> rootTasks() {
    return new ArrayList<>(List.of(writer));
  }

  /** The first target. */
  public Target target() {
    return targets.get(0);
  }

  public Statement statement() {
    return statement;
  }

  public void statement(Statement other) {
    statement = other;
  }

  public PlanReader read() throws Exception {
    return new PlanReader(rootTasks(), conf, hive);
  }

  /** What the plan writes to the first target. */
  public PlannedOutput output(PlanReader plan) {
    return plan.outputs().stream()
        .filter(it -> it.sinks().get(0).desc().equals(target().sink().getConf()))
        .findFirst()
        .orElseThrow();
  }
}
