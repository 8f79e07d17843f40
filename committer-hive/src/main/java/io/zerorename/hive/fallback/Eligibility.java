package io.zerorename.hive.fallback;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveKeys.OptIn;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.PartitionLocations;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedInsert;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.Statement;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.thrift.TException;

/**
 * Decides whether one INSERT is rewritten or falls back to Hive's own path. What no test has proved
 * is not eligible. The rules only read; they send no request to S3, except about a directory that
 * is no table's and in which Hive does not stage.
 *
 * @param output one of those of the plan
 * @param hive returns the partitions of the output's table
 */
public record Eligibility(
    Statement statement, PlanReader plan, PlannedOutput output, HiveConf conf, Hive hive) {
  private static final Set<String> PROVED_FORMATS =
      Set.of(
          "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
          "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
          "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
          "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
          "org.apache.hadoop.hive.ql.io.RCFileOutputFormat",
          "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat");

  /**
   * Applies all rules.
   *
   * @return the INSERT that writes the output
   * @throws Fallback where a rule does not hold, with the reason
   */
  public PlannedInsert check() throws Fallback, HiveException, TException, IOException {
    try {
      return checkAll();
    } catch (InvalidSettingException e) {
      throw new Fallback(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
  }

  private PlannedInsert checkAll() throws Fallback, HiveException, TException, IOException {
    BucketRules rules = new BucketRules(conf, output.bucket());
    rules.checkEnabled();
    Fallback.when(!statement.isCovered(), FallbackReason.STATEMENT);
    checkCommitRecords();
    // Its plan holds the table of its preparation, which may be another by now.
    Fallback.when(statement == Statement.EXECUTE, FallbackReason.STATEMENT);
    rules.checkSettings();
    checkSession();
    PlannedInsert insert = new PlanShape(plan, output, conf).check();
    checkTarget(insert, rules);
    checkLocation(insert);
    if (!insert.target().isNewTable() && (output.isDynamic() || plan.sharesTable(output))) {
      checkPartitions();
    }
    return insert;
  }

  /** Tasks put rows below the table's directory, and Hive reads them where their partition is. */
  private void checkPartitions() throws Fallback, HiveException, TException {
    Optional<Path> elsewhere = elsewhere().stream().findFirst();
    if (elsewhere.isPresent()) {
      throw new Fallback(
          FallbackReason.CUSTOM_PARTITION_LOCATION,
          "rows choose the partition, and one is at " + elsewhere.get());
    }
  }

  /**
   * The locations of partitions that rows may choose and that are not at their default places. Of a
   * large table not all partitions are asked for: the answer grows with it. The commit refuses what
   * is elsewhere then.
   */
  private List<Path> elsewhere() throws HiveException, TException {
    PartitionLocations known = new PartitionLocations(hive, output.table().orElseThrow());
    // Another output of the table may have another static part.
    List<String> first = plan.sharesTable(output) ? List.of() : output.fixedValues();
    if (first.isEmpty() && known.count() > HiveKeys.ASKED_LOCATIONS.from(conf)) {
      return List.of();
    }
    return known.custom(first).entrySet().stream()
        .filter(it -> first.isEmpty() || ObjectKeys.isAtOrBelow(it.getKey(), output.destination()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Comes before other rules, because Hive's own path would delete the records. */
  private void checkCommitRecords() throws Fallback, HiveException, TException {
    if (!output.overwrites()
        || output.table().filter(FailInsteadOfFallback::isOthers).isPresent()) {
      return;
    }
    RecordDirectories records = RecordDirectories.of(conf);
    if (records.isEmpty()) {
      return;
    }
    Path destination = output.destination();
    Optional<String> loss = records.lostWith(destination);
    if (loss.isEmpty() && output.isDynamic() && !output.desc().isCTASorCM()) {
      loss =
          elsewhere().stream().flatMap(location -> records.lostWith(location).stream()).findFirst();
    }
    if (loss.isPresent()) {
      throw new Fallback(FallbackReason.COMMIT_RECORDS, loss.get());
    }
  }

  /** The rules about the session's settings. */
  private void checkSession() throws Fallback {
    String lifetimeHooks = conf.getVar(ConfVars.HIVE_QUERY_LIFETIME_HOOKS);
    if (Arrays.stream(lifetimeHooks.split(","))
        .noneMatch(hook -> hook.trim().equals(HiveKeys.HOOK))) {
      throw new Fallback(FallbackReason.LIFETIME_HOOK_MISSING);
    }
    String engine = conf.getVar(ConfVars.HIVE_EXECUTION_ENGINE).toLowerCase(Locale.ROOT);
    if (!engine.equals("tez") && !engine.equals("mr")) {
      throw new Fallback(FallbackReason.ENGINE, engine);
    }
    // A daemon that is started later may run the tasks, so no check of the daemons' jars helps.
    if (engine.equals("tez")
        && conf.getVar(ConfVars.HIVE_EXECUTION_MODE).equalsIgnoreCase("llap")
        && HiveKeys.LLAP.from(conf) == OptIn.FALLBACK) {
      throw new Fallback(
          FallbackReason.ENGINE,
          "LLAP; set %s=commit if each of its daemons has the committer's jar"
              .formatted(HiveKeys.LLAP.name()));
    }
  }

  /** The rules about the target of an INSERT. */
  private void checkTarget(PlannedInsert insert, BucketRules rules) throws Fallback, IOException {
    FileSinkDesc sink = output.desc();
    if (insert.target().table().isPresent()) {
      Table table = insert.target().table().get();
      checkTable(table);
      if (table.getNumBuckets() > 0 && !output.branches().isEmpty()) {
        // The names of their files begin with the branch, where readers look for the bucket.
        throw new Fallback(
            FallbackReason.PLAN_SHAPE, "branches of a UNION ALL write to a bucketed table");
      }
    }
    if (sink.isDirectInsert()
        || sink.isMmTable()
        || sink.isCompactionTable()
        || sink.getWriteType() != AcidUtils.Operation.NOT_ACID) {
      throw new Fallback(FallbackReason.ACID);
    }
    Fallback.when(sink.isTemporary(), FallbackReason.TEMPORARY_TABLE);
    Fallback.when(sink.isMaterialization(), FallbackReason.MATERIALIZED_VIEW);
    if (sink.getLbCtx() != null && sink.getLbCtx().isSkewedStoredAsDir()) {
      throw new Fallback(FallbackReason.LIST_BUCKETING);
    }
    if (insert.target().kind() == InsertTarget.Kind.TABLE
        && !S3AFileSystems.holds(insert.target().path(), conf)) {
      throw new Fallback(
          FallbackReason.CUSTOM_PARTITION_LOCATION, "the table is at " + insert.target().path());
    }
    String format = sink.getTableInfo().getOutputFileFormatClass().getName();
    if (!PROVED_FORMATS.contains(format)) {
      throw new Fallback(FallbackReason.FORMAT, format);
    }
    Path workDir = HiveWorkDirectory.of(conf);
    if (S3AFileSystems.holds(workDir, conf)) {
      if (CoreKeys.WORK_DIR.find(conf).isEmpty()) {
        throw new Fallback(FallbackReason.SCRATCH_ON_S3, conf.get(HiveWorkDirectory.SCRATCH_DIR));
      }
      throw new Fallback(
          FallbackReason.BAD_CONFIGURATION,
          "%s is %s; it must be on HDFS or another file system that renames"
              .formatted(CoreKeys.WORK_DIR.name(), workDir));
    }
    rules.checkUploads();
    // What Hive deletes from a directory that is no table's is not moved to Trash.
    if (output.overwrites() && insert.load().isPresent()) {
      rules.checkDeletion(insert.target().table().get());
    }
  }

  private static void checkTable(Table table) throws Fallback {
    checkProperty(table);
    Fallback.when(AcidUtils.isTransactionalTable(table), FallbackReason.ACID);
    Fallback.when(table.isTemporary(), FallbackReason.TEMPORARY_TABLE);
    Fallback.when(table.isMaterializedView(), FallbackReason.MATERIALIZED_VIEW);
    Fallback.when(table.isStoredAsSubDirectories(), FallbackReason.LIST_BUCKETING);
  }

  private static void checkProperty(Table table) throws Fallback {
    if (!HiveKeys.TABLE_ENABLED.of(
        table.getProperty(HiveKeys.TABLE_ENABLED.name()),
        "the properties of " + table.getFullyQualifiedName())) {
      throw new Fallback(
          FallbackReason.DISABLED, "table property " + HiveKeys.TABLE_ENABLED.name() + "=false");
    }
  }

  /** The plan must name the location of its table that Hive's MoveTask knows. */
  private void checkLocation(PlannedInsert insert) throws Fallback {
    Path planned = output.desc().getDestPath();
    Path current = insert.target().path();
    if (insert.target().kind() == InsertTarget.Kind.TABLE
        && insert.fixedPartition().isEmpty()
        && !(ObjectKeys.isAtOrBelow(planned, current)
            && ObjectKeys.isAtOrBelow(current, planned))) {
      throw new Fallback(
          FallbackReason.PLAN_SHAPE,
          "the plan writes to " + planned + ", and the metastore says " + current);
    }
  }
}
