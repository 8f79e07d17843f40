package io.zerorename.hive;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.config.S3AFileSystems;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.metastore.utils.MetaStoreUtils;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;
import org.apache.thrift.TException;

/**
 * The rules by which an INSERT may be rewritten. What no test has proved is not eligible. The rules
 * read; they change nothing and send no request to S3.
 */
final class Eligibility {
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

  /**
   * @param bucket that the INSERT writes to
   */
  Eligibility(HiveConf conf, String bucket) {
    this.conf = conf;
    this.bucket = bucket;
  }

  /**
   * All rules.
   *
   * @param output one of those of the plan
   * @param hive asked for partitions, where the statement writes dynamic ones
   * @return the INSERT that writes the output, where it may be rewritten
   */
  PlannedInsert check(Statement statement, PlanReader plan, PlannedOutput output, Hive hive)
      throws NotEligible, HiveException, TException, IOException {
    checkSession(statement);
    PlannedInsert insert = plan.insert(output);
    checkTarget(insert);
    new PlannedPlace(insert, hive).check(statement);
    if (plan.sharesTable(output)
        && !new PartitionLocations(hive, output.table().orElseThrow()).custom().isEmpty()) {
      throw new NotEligible(
          FallbackReason.MULTI_INSERT, "and partitions have locations of their own");
    }
    if (!output.isDynamic() || insert.target().isNewTable()) {
      return insert;
    }
    Table table = insert.target().table().orElseThrow();
    CustomLocations custom = new CustomLocations(new PartitionLocations(hive, table).custom());
    Optional<String> obstacle = custom.obstacle(table.getDataLocation());
    if (obstacle.isPresent()) {
      throw new NotEligible(FallbackReason.CUSTOM_PARTITION_LOCATION, obstacle.get());
    }
    return insert.with(custom);
  }

  /** The rules that need no plan. */
  private void checkSession(Statement statement) throws NotEligible {
    try {
      if (!HiveKeys.ENABLED.from(conf, bucket)) {
        throw new NotEligible(
            FallbackReason.DISABLED, HiveKeys.ENABLED.nameIn(conf, bucket) + "=false");
      }
      // Read here what tasks and the commit will read, so that they find no bad value.
      HiveKeys.all().forEach(key -> key.find(conf, bucket));
    } catch (InvalidSettingException e) {
      throw new NotEligible(FallbackReason.BAD_CONFIGURATION, e.getMessage());
    }
    if (!statement.isCovered()) {
      throw new NotEligible(FallbackReason.STATEMENT);
    }
    String lifetimeHooks = conf.getVar(ConfVars.HIVE_QUERY_LIFETIME_HOOKS);
    if (Arrays.stream(lifetimeHooks.split(","))
        .noneMatch(hook -> hook.trim().equals(ZeroRenameHook.class.getName()))) {
      throw new NotEligible(FallbackReason.LIFETIME_HOOK_MISSING);
    }
    String engine = conf.getVar(ConfVars.HIVE_EXECUTION_ENGINE).toLowerCase(Locale.ROOT);
    if (!engine.equals("tez") && !engine.equals("mr")) {
      throw new NotEligible(FallbackReason.ENGINE, engine);
    }
    if (engine.equals("tez") && conf.getVar(ConfVars.HIVE_EXECUTION_MODE).equals("llap")) {
      throw new NotEligible(FallbackReason.ENGINE, "LLAP");
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
    String multipart = s3aSetting("multipart.uploads.enabled");
    if (multipart.equals("FALSE")) {
      throw new NotEligible(FallbackReason.MULTIPART_OFF);
    }
    String encryption = s3aSetting("encryption.algorithm");
    if (encryption.isEmpty()) {
      encryption = s3aSetting("server-side-encryption-algorithm");
    }
    if (encryption.startsWith("CSE")) {
      throw new NotEligible(FallbackReason.CLIENT_SIDE_ENCRYPTION, encryption);
    }
    // What Hive deletes from a directory that is no table's is not moved to Trash.
    if (insert.overwrites() && insert.load().isPresent()) {
      checkDeletion(insert.target().table().get());
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

  /** Whether files that an overwrite replaces may be deleted for good. */
  private void checkDeletion(Table table) throws NotEligible {
    // Minutes; a fraction is allowed.
    float trashInterval = conf.getFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 0);
    if (trashInterval > 0
        && HiveKeys.TRASH.from(conf, bucket) == TrashMode.FALLBACK
        && !MetaStoreUtils.isSkipTrash(table.getParameters())) {
      throw new NotEligible(FallbackReason.TRASH);
    }
    if (conf.getBoolVar(ConfVars.REPL_CM_ENABLED)) {
      throw new NotEligible(FallbackReason.REPLICATION);
    }
  }

  /** A setting of S3A in upper case, that of the bucket before that for all, or "". */
  private String s3aSetting(String name) {
    String value = conf.getTrimmed("fs.s3a.bucket." + bucket + "." + name, "");
    return (value.isEmpty() ? conf.getTrimmed("fs.s3a." + name, "") : value)
        .toUpperCase(Locale.ROOT);
  }
}
