package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.config.TrashMode;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.command.DDLUtils;
import org.apache.spark.sql.execution.command.DDLUtils$;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.hive.execution.InsertIntoHiveDirCommand;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable;
import org.apache.spark.sql.hive.execution.InsertIntoHiveTable$;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Option;
import scala.runtime.AbstractPartialFunction;

/**
 * Replaces Spark's commands that write in formats of Hive's, through a staging directory, by the
 * one of its data sources, which asks the commit protocol. The files are written by the same
 * writers. What it does not replace keeps Spark's own plan, and the log says why.
 */
final class PlannedInserts extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedInserts.class);

  private final SparkSession session;

  PlannedInserts(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  @Override
  public boolean isDefinedAt(LogicalPlan at) {
    return at instanceof InsertIntoHiveTable || at instanceof InsertIntoHiveDirCommand;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <A extends LogicalPlan, B> B applyOrElse(A at, Function1<A, B> otherwise) {
    try {
      if (at instanceof InsertIntoHiveTable insert) {
        return (B) ofTable(insert);
      }
      return at instanceof InsertIntoHiveDirCommand insert
          ? (B) ofDirectory(insert)
          : otherwise.apply(at);
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  private LogicalPlan ofTable(InsertIntoHiveTable insert) throws IOException {
    Optional<String> reason = reasonAgainst(insert);
    if (reason.isPresent()) {
      LOG.info(
          "zero-rename: ZR-7112: Spark itself inserts into {}, with renames, because {}",
          insert.table().identifier().unquotedString(),
          reason.get());
      return watched(insert);
    }
    Map<String, String> options = options(insert);
    if (insert.overwrite()) {
      // Hive replaces the partitions that it writes, whatever the session says.
      options.put("partitionOverwriteMode", "dynamic");
    }
    // Hive's client leaves none.
    options.put("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false");
    return command(insert, options, Option.apply(insert.table()));
  }

  /** An overwrite that keeps Spark's own plan, with a staging directory that tells of its end. */
  private LogicalPlan watched(InsertIntoHiveTable insert) throws IOException {
    boolean watched =
        insert.overwrite()
            && !insert.ifPartitionNotExists()
            && !(insert.hiveTmpPath() instanceof WatchedStaging)
            && AffectedTable.isSwitchedOn(session)
            && AffectedTable.holds(insert.table(), insert.hiveTmpPath().hadoopConf());
    return watched
        ? EitherScala.with(
            insert,
            insert.productArity() - 1,
            new WatchedStaging(session, insert, staticPartitions(insert)))
        : insert;
  }

  private Optional<String> reasonAgainst(InsertIntoHiveTable insert) throws IOException {
    CatalogTable table = insert.table();
    if (AffectedTable.isForeign(table)) {
      return Optional.of("a storage handler keeps it");
    }
    if (AffectedTable.isTransactional(table)) {
      return Optional.of("it is a transactional table of Hive");
    }
    if (insert.ifPartitionNotExists()) {
      return Optional.of("IF NOT EXISTS is not covered");
    }
    boolean partitioned = !insert.partition().isEmpty();
    if (partitioned && (insert.bucketSpec().isDefined() || isSkewed(table))) {
      return Optional.of("its partitions are bucketed or skewed");
    }
    if (partitioned && !SQLConf.get().manageFilesourcePartitions()) {
      return Optional.of("spark.sql.hive.manageFilesourcePartitions is false");
    }
    Path place = new Path(table.location());
    Optional<Path> partition = existingPartition(insert);
    if (partition.isPresent() && !sameBucket(partition.get(), place)) {
      return Optional.of("the partition is at " + partition.get() + ", and the table at " + place);
    }
    Configuration hadoop = insert.hiveTmpPath().hadoopConf();
    Optional<String> reason = reasonAgainst(place, insert.overwrite(), hadoop);
    if (reason.isEmpty()
        && insert.overwrite()
        && !table.properties().getOrElse("auto.purge", () -> "").equalsIgnoreCase("true")
        && TrashMode.isKept(hadoop, ObjectKeys.bucketOf(place))) {
      return Optional.of(
          "fs.trash.interval is above 0, so that Hive moves overwritten files to Trash; set"
              + " 'auto.purge'='true' on the table, or "
              + TrashMode.KEY.name()
              + "=delete, if they may be deleted for good");
    }
    return reason;
  }

  /** Where the only partition is to which a statement writes. */
  private static Optional<Path> existingPartition(InsertIntoHiveTable insert) {
    Map<String, String> values = staticPartitions(insert);
    return values.isEmpty() || values.size() < partitionColumnNames(insert).size()
        ? Optional.empty()
        : HiveTableWrite.partition(insert.table(), EitherScala.map(values))
            .map(it -> new Path(it.location()));
  }

  private static boolean sameBucket(Path one, Path other) {
    return Objects.equals(one.toUri().getScheme(), other.toUri().getScheme())
        && Objects.equals(one.toUri().getAuthority(), other.toUri().getAuthority());
  }

  private static boolean isSkewed(CatalogTable table) {
    return EitherScala.list(table, "unsupportedFeatures").contains("skewed columns");
  }

  private Optional<String> reasonAgainst(Path destination, boolean overwrite, Configuration hadoop)
      throws IOException {
    if (overwrite && (destination.isRoot() || destination.toUri().getPath().isEmpty())) {
      return Optional.of("Spark's data sources cannot overwrite a whole bucket");
    }
    if (!S3AFileSystems.holds(destination, hadoop)) {
      return Optional.of(destination + " is not on S3A");
    }
    if (destination.getName().contains(":")) {
      return Optional.of("Hadoop cannot read a directory with a colon in its name");
    }
    if (!AffectedTable.isSwitchedOn(session)) {
      return Optional.of(
          "spark.sql.sources.commitProtocolClass is not "
              + ZeroRenameCommitProtocol.class.getName());
    }
    return Optional.empty();
  }

  private LogicalPlan ofDirectory(InsertIntoHiveDirCommand insert) throws IOException {
    Path destination = new Path(insert.storage().locationUri().get());
    Optional<String> reason =
        insert.isLocal()
            ? Optional.of("it is local")
            : reasonAgainst(
                destination, insert.overwrite(), session.sessionState().newHadoopConf());
    if (reason.isPresent()) {
      LOG.info(
          "zero-rename: ZR-7113: Spark itself writes to the directory {}, with renames, because {}",
          destination,
          reason.get());
      return insert;
    }
    InsertIntoHiveTable planned = intoTableAt(destination, insert);
    return command(planned, options(planned), Option.empty());
  }

  /** As the command itself makes a table of the directory. */
  private static InsertIntoHiveTable intoTableAt(Path directory, InsertIntoHiveDirCommand insert) {
    CatalogTable table =
        EitherScala.make(
            CatalogTable.class,
            new TableIdentifier(directory.toString(), Option.apply("default")),
            CatalogTableType.VIEW(),
            insert.storage(),
            insert.query().schema(),
            Option.apply(DDLUtils.HIVE_PROVIDER()));
    DDLUtils$.MODULE$.checkTableColumns(table);
    return EitherScala.call(
        InsertIntoHiveTable$.MODULE$,
        "apply",
        table,
        EitherScala.map(Map.of()),
        insert.query(),
        insert.overwrite(),
        false,
        EitherScala.call(insert, "outputColumnNames"));
  }

  /** Of the command, with what Spark has found out about compression. */
  private Map<String, String> options(InsertIntoHiveTable insert) {
    Map<String, String> options = EitherScala.map(insert.options());
    Configuration plain = session.sessionState().newHadoopConf();
    for (Map.Entry<String, String> entry : insert.hiveTmpPath().hadoopConf()) {
      if (!entry.getValue().equals(plain.getRaw(entry.getKey()))) {
        options.put(entry.getKey(), entry.getValue());
      }
    }
    return options;
  }

  private static LogicalPlan command(
      InsertIntoHiveTable insert, Map<String, String> options, Option<CatalogTable> table) {
    List<String> names = EitherScala.list(insert, "outputColumnNames");
    List<NamedExpression> columns = EitherScala.list(insert.query(), "output");
    List<Attribute> partitionColumns = new ArrayList<>();
    Map<String, String> staticPartitions = staticPartitions(insert);
    staticPartitions.forEach(
        (name, value) -> {
          Alias column = constant(name, value);
          names.add(name);
          columns.add(column);
          partitionColumns.add(column.toAttribute());
        });
    List<String> tableColumns = partitionColumnNames(insert);
    for (Attribute column : EitherScala.<Attribute>list(insert, "partitionColumns")) {
      // By the catalog's name; Spark gives them Hive's lower case, which names other directories.
      partitionColumns.add(column.withName(tableColumns.get(partitionColumns.size())));
    }
    LogicalPlan query =
        staticPartitions.isEmpty()
            ? insert.query()
            : EitherScala.make(Project.class, EitherScala.seq(columns), insert.query());
    return EitherScala.make(
        InsertIntoHadoopFsRelationCommand.class,
        new Path(insert.table().location()),
        EitherScala.map(staticPartitions),
        false,
        EitherScala.seq(partitionColumns),
        insert.bucketSpec(),
        insert.fileFormat(),
        EitherScala.map(options),
        query,
        insert.overwrite() ? SaveMode.Overwrite : SaveMode.Append,
        table,
        Option.empty(),
        EitherScala.seq(names));
  }

  private static List<String> partitionColumnNames(InsertIntoHiveTable insert) {
    return EitherScala.list(insert.table(), "partitionColumnNames");
  }

  /** In the order of the table's columns, which all come before the dynamic ones. */
  private static Map<String, String> staticPartitions(InsertIntoHiveTable insert) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String name : partitionColumnNames(insert)) {
      Option<String> value = insert.partition().apply(name);
      if (value.isDefined()) {
        values.put(
            name,
            value.get() == null ? ExternalCatalogUtils.DEFAULT_PARTITION_NAME() : value.get());
      }
    }
    return values;
  }

  /** A column that names a directory, for which the text of the statement is taken as it is. */
  private static Alias constant(String name, String value) {
    return EitherScala.make(
        Alias.class,
        Literal$.MODULE$.apply(value),
        name,
        NamedExpression.newExprId(),
        EitherScala.seq(List.of()),
        Option.empty(),
        EitherScala.seq(List.of()));
  }
}
