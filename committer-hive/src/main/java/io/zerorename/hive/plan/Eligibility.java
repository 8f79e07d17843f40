package io.zerorename.hive.plan;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.hive.config.LlapMode;
import io.zerorename.hive.metastore.CustomLocations;
import io.zerorename.hive.metastore.InsertTarget;
import io.zerorename.hive.metastore.PartitionLocations;
import java.io.IOException;
import java.util.Arrays;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules by which one INSERT may be rewritten. What no test has proved is not eligible. The
 * rules read; they change nothing and send no request to S3.
 */
public final class Eligibility {
  private static final Logger LOG = LoggerFactory.getLogger(Eligibility.class);

  private static final Set<String> PROVED_FORMATS =
      Set.of(
          "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
          "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
          "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
          "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
          "org.apache.hadoop.hive.ql.io.RCFileOutputFormat",
          "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat");

  private final HiveConf conf;
  private final String bucket;
  private final BucketRules rules;
  private Optional<CustomLocations> custom = Optional.empty();

  /**
   * @param bucket that the INSERT writes to
   */
  public Eligibility(HiveConf conf, String bucket) {
    this.conf = conf;
    this.bucket = bucket;
    this.rules = BucketRules.of(conf, bucket);
  }

  /**
   * All rules.
   *
   * @param output one of those of the plan
   * @param hive asked for partitions, where the statement writes dynamic ones
   * @return the INSERT that writes the output, where it may be rewritten
   */
  public PlannedInsert check(Statement statement, PlanReader plan, PlannedOutput output, Hive hive)
      throws NotEligible, HiveException, TException, IOException {
    rules.checkEnabled();
    if (!statement.isCovered()) {
      throw new NotEligible(FallbackReason.STATEMENT);
    }
    refuseLossOfRecords(output, hive);
    rules.checkSettings();
    checkSession();
    PlannedInsert insert = plan.insert(output);
    checkTarget(insert);
    new LocationCheck(insert, hive).check(statement);
    if (plan.sharesTable(output)
        && !custom(output.table().orElseThrow(), hive).byPlace().isEmpty()) {
      throw new NotEligible(
          FallbackReason.MULTI_INSERT, "and partitions have locations of their own");
    }
    return !output.isDynamic() || insert.target().isNewTable()
        ? insert
        : insert.with(customLocations(insert, hive));
  }

  /** Looked at before other rules: where one of them does not hold, Hive would delete them. */
  private void refuseLossOfRecords(PlannedOutput output, Hive hive)
      throws NotEligible, HiveException, TException {
    if (!output.overwrites() || output.table().filter(FallbackPolicy::isOthers).isPresent()) {
      return;
    }
    RecordDirectories records;
    try {
      records = RecordDirectories.of(conf);
    } catch (InvalidSettingException e) {
      throw new NotEligible(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
    if (records.isEmpty()) {
      return;
    }
    Optional<String> loss =
        output.isDynamic()
            ? records.lostWithPartitionsOf(output.destination())
            : records.lostWith(output.destination());
    if (loss.isEmpty() && output.isDynamic() && !output.desc().isCTASorCM()) {
      loss =
          custom(output.table().orElseThrow(), hive)
              .ofPartitionsIn(output.destination())
              .byPlace()
              .values()
              .stream()
              .sorted()
              .flatMap(location -> records.lostWith(location).stream())
              .findFirst();
    }
    if (loss.isPresent()) {
      throw new NotEligible(FallbackReason.COMMIT_RECORDS, loss.get());
    }
  }

  /** Those of the partitions that the rows may choose. */
  private CustomLocations customLocations(PlannedInsert insert, Hive hive)
      throws NotEligible, HiveException, TException {
    Table table = insert.target().table().orElseThrow();
    CustomLocations all = custom(table, hive);
    CustomLocations custom = all.ofPartitionsIn(insert.output().destination());
    Optional<String> obstacle =
        custom.obstacle(this::isOnS3A).or(() -> all.overlap(table.getDataLocation()));
    if (obstacle.isPresent()) {
      throw new NotEligible(FallbackReason.CUSTOM_PARTITION_LOCATION, obstacle.get());
    }
    refuseRecordsAmong(custom, table);
    Map<String, Path> others = custom.byBucket();
    others.remove(bucket);
    for (Map.Entry<String, Path> other : others.entrySet()) {
      BucketRules ofOther = BucketRules.ofOther(conf, other.getKey(), other.getValue());
      ofOther.checkEnabled();
      ofOther.checkSettings();
      ofOther.checkUploads();
      ofOther.checkCredentials();
      if (insert.overwrites()) {
        ofOther.checkDeletion(table);
      }
    }
    return custom;
  }

  /** Of the output's table; the metastore is asked once. */
  private CustomLocations custom(Table table, Hive hive) throws HiveException, TException {
    if (custom.isEmpty()) {
      custom = Optional.of(new CustomLocations(new PartitionLocations(hive, table).custom()));
    }
    return custom.get();
  }

  /** Readers of such a partition would take the records of commits for data. */
  private void refuseRecordsAmong(CustomLocations custom, Table table) throws NotEligible {
    String ofTable = ObjectKeys.bucketOf(table.getDataLocation());
    Optional<Path> records = CoreKeys.COMMIT_DIR.find(conf, ofTable).map(Path::new);
    Optional<Path> location = records.flatMap(custom::sharing);
    if (location.isPresent()) {
      throw new NotEligible(
          FallbackReason.BAD_CONFIGURATION,
          CoreKeys.COMMIT_DIR.nameIn(conf, ofTable)
              + " is "
              + records.get()
              + ", and neither it nor the partition at "
              + location.get()
              + " may lie in the other");
    }
  }

  private boolean isOnS3A(Path location) {
    try {
      return ObjectKeys.bucketOf(location) != null && S3AFileSystems.holds(location, conf);
    } catch (IOException e) {
      LOG.debug("There is no file system for {}", location, e);
      return false;
    }
  }

  /** The rules that need no plan. */
  private void checkSession() throws NotEligible {
    String lifetimeHooks = conf.getVar(ConfVars.HIVE_QUERY_LIFETIME_HOOKS);
    if (Arrays.stream(lifetimeHooks.split(","))
        .noneMatch(hook -> hook.trim().equals(HiveKeys.HOOK))) {
      throw new NotEligible(FallbackReason.LIFETIME_HOOK_MISSING);
    }
    String engine = conf.getVar(ConfVars.HIVE_EXECUTION_ENGINE).toLowerCase(Locale.ROOT);
    if (!engine.equals("tez") && !engine.equals("mr")) {
      throw new NotEligible(FallbackReason.ENGINE, engine);
    }
    // Its daemons are not asked whether they have the jar: those of the plan are not those of the
    // tasks, which may run in one that is started later.
    if (engine.equals("tez")
        && conf.getVar(ConfVars.HIVE_EXECUTION_MODE).equalsIgnoreCase("llap")
        && HiveKeys.LLAP.from(conf) == LlapMode.FALLBACK) {
      throw new NotEligible(
          FallbackReason.ENGINE,
          "LLAP; set "
              + HiveKeys.LLAP.name()
              + "=commit if each of its daemons has the committer's jar");
    }
  }

  /** The rules about the target of an INSERT. */
  private void checkTarget(PlannedInsert insert) throws NotEligible, IOException {
    FileSinkDesc sink = insert.output().desc();
    if (insert.target().table().isPresent()) {
      Table table = insert.target().table().get();
      checkTable(table);
      if (table.getNumBuckets() > 0 && !insert.output().branches().isEmpty()) {
        // The names of their files begin with the branch, where readers look for the bucket.
        throw new NotEligible(
            FallbackReason.PLAN_SHAPE, "branches of a UNION ALL write to a bucketed table");
      }
    }
    if (sink.isDirectInsert()
        || sink.isMmTable()
        || sink.isCompactionTable()
        || sink.getWriteType() != AcidUtils.Operation.NOT_ACID) {
      throw new NotEligible(FallbackReason.ACID);
    }
    if (sink.isTemporary()) {
      throw new NotEligible(FallbackReason.TEMPORARY_TABLE);
    }
    if (sink.isMaterialization()) {
      throw new NotEligible(FallbackReason.MATERIALIZED_VIEW);
    }
    if (sink.getLbCtx() != null && sink.getLbCtx().isSkewedStoredAsDir()) {
      throw new NotEligible(FallbackReason.LIST_BUCKETING);
    }
    if (insert.target().kind() == InsertTarget.Kind.TABLE
        && !S3AFileSystems.holds(insert.target().path(), conf)) {
      throw new NotEligible(
          FallbackReason.CUSTOM_PARTITION_LOCATION, "the table is at " + insert.target().path());
    }
    String format = sink.getTableInfo().getOutputFileFormatClass().getName();
    if (!PROVED_FORMATS.contains(format)) {
      throw new NotEligible(FallbackReason.FORMAT, format);
    }
    Path workDir = HiveWorkDirectory.of(conf);
    if (S3AFileSystems.holds(workDir, conf)) {
      if (CoreKeys.WORK_DIR.find(conf).isEmpty()) {
        throw new NotEligible(FallbackReason.SCRATCH_ON_S3, conf.getVar(ConfVars.SCRATCH_DIR));
      }
      throw new NotEligible(
          FallbackReason.BAD_CONFIGURATION,
          CoreKeys.WORK_DIR.name()
              + " is "
              + workDir
              + "; it must be on HDFS or another file system that renames");
    }
    rules.checkUploads();
    // What Hive deletes from a directory that is no table's is not moved to Trash.
    if (insert.overwrites() && insert.load().isPresent()) {
      rules.checkDeletion(insert.target().table().get());
    }
  }

  private static void checkTable(Table table) throws NotEligible {
    checkProperty(table);
    if (AcidUtils.isTransactionalTable(table)) {
      throw new NotEligible(FallbackReason.ACID);
    }
    if (table.isNonNative()) {
      throw new NotEligible(FallbackReason.STORAGE_HANDLER);
    }
    if (table.isTemporary()) {
      throw new NotEligible(FallbackReason.TEMPORARY_TABLE);
    }
    if (table.isMaterializedView()) {
      throw new NotEligible(FallbackReason.MATERIALIZED_VIEW);
    }
    if (table.isStoredAsSubDirectories()) {
      throw new NotEligible(FallbackReason.LIST_BUCKETING);
    }
  }

  private static void checkProperty(Table table) throws NotEligible {
    boolean enabled;
    try {
      enabled =
          HiveKeys.TABLE_ENABLED.of(
              table.getProperty(HiveKeys.TABLE_ENABLED.name()),
              "the properties of " + table.getFullyQualifiedName());
    } catch (InvalidSettingException e) {
      throw new NotEligible(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
    if (!enabled) {
      throw new NotEligible(
          FallbackReason.DISABLED, "table property " + HiveKeys.TABLE_ENABLED.name() + "=false");
    }
  }
}
