package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterator;

/**
 * Commits what Spark SQL writes to S3 without a rename; users name it in {@code
 * spark.sql.sources.commitProtocolClass}. Tasks upload to the final keys, and name their uploads in
 * their commit messages; the driver decides by an entry of the destination's log, and completes.
 * What an overwrite replaces stays until all new files are there.
 *
 * <p>A destination that is not on S3A gets Spark's default protocol.
 *
 * <p>Spark makes an instance on the driver, and sends copies of it to the tasks. One is compiled
 * for Scala 2.12 and 2.13: it declares {@code commitJob} for the {@code Seq} of each.
 */
@SuppressWarnings("deprecation")
public final class ZeroRenameCommitProtocol extends FileCommitProtocol implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ZeroRenameCommitProtocol.class);

  private final String jobId;
  private final String path;
  private final boolean dynamicOverwrite;

  /** In charge where the destination is not on S3A. */
  private final SQLHadoopMapReduceCommitProtocol sparks;

  /** Qualified; null before the set-up, and where Spark's protocol is in charge. */
  private String destination;

  private transient Set<Path> replaced;
  private transient List<byte[]> committedTasks;
  private transient JobWrite job;
  private transient HiveTableWrite hive;

  private transient TaskWrite task;

  /**
   * Called by Spark.
   *
   * @param jobId a UUID of this write, which the names of its files carry
   * @param path where it writes, perhaps without a scheme
   * @param dynamicOverwrite whether it replaces the partitions that it writes, and no others
   */
  public ZeroRenameCommitProtocol(String jobId, String path, boolean dynamicOverwrite) {
    this.jobId = requireNonNull(jobId, "jobId");
    this.path = path;
    this.dynamicOverwrite = dynamicOverwrite;
    this.sparks = new SQLHadoopMapReduceCommitProtocol(jobId, path, dynamicOverwrite);
    this.replaced = new LinkedHashSet<>();
    // A driver's thread that is interrupted aborts while Spark's scheduler still adds to it.
    this.committedTasks = Collections.synchronizedList(new ArrayList<>());
  }

  /**
   * Called before {@link #setupJob}, by a static overwrite, for each directory that it replaces.
   */
  @Override
  public boolean deleteWithJob(FileSystem fs, Path directory, boolean recursive) {
    try {
      // S3A refuses to empty a bucket, and so must we: other tables and their logs are in it.
      if (!S3AFileSystems.holds(qualified(fs.getConf()), fs.getConf()) || directory.isRoot()) {
        return sparks.deleteWithJob(fs, directory, recursive);
      }
      if (fs.getFileStatus(directory).isFile()) {
        // Hive's staging directory would be below it, so that its statement fails.
        return !isOfHive() && sparks.deleteWithJob(fs, directory, recursive);
      }
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
    replaced.add(fs.makeQualified(directory));
    return true;
  }

  private boolean isOfHive() {
    return PlannedWrite.current(new Path(path))
        .filter(it -> HiveTableWrite.isOfHive(it.insert()))
        .isPresent();
  }

  @Override
  public void setupJob(JobContext context) {
    try {
      Path qualified = qualified(context.getConfiguration());
      if (!S3AFileSystems.holds(qualified, context.getConfiguration())) {
        LOG.info(
            "zero-rename: ZR-7109: Spark's own commit protocol commits what is written to {}, because that is"
                + " not on S3A",
            qualified);
        sparks.setupJob(context);
        return;
      }
      refuseUnlessUuid();
      Optional<PlannedWrite> planned = PlannedWrite.current(new Path(path));
      if (planned.isPresent() && !dynamicOverwrite) {
        replaced = planned.get().replaced(qualified, replaced, context.getConfiguration());
      }
      hive = planned.flatMap(PlannedWrite::hive).orElse(null);
      Configuration conf = context.getConfiguration();
      boolean overwrites = dynamicOverwrite || !replaced.isEmpty();
      Optional<RunId> run = SessionRun.of(qualified, !overwrites, planned, conf);
      if (run.isPresent() && RunningStatement.inserts(new Path(path)).size() > 1) {
        throw new IOException(
            ("ZR-7139: Cannot write to %s with %s=%s: the statement has several INSERTs to it, of"
                    + " which only one would be written. This one has written nothing. Make"
                    + " statements of their own of them, or unset the key for this one.")
                .formatted(qualified, CoreKeys.RUN_ID.name(), run.get().id()));
      }
      job = JobWrite.begin(jobId, qualified, conf, overwrites, run, planned);
      if (planned.isPresent() && planned.get().wantsNothingUnfinished(replaced)) {
        job.refuseBesideUnfinished();
      }
      destination = qualified.toString();
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  /** By its id the uploads of a write are found in a listing. */
  private void refuseUnlessUuid() throws IOException {
    try {
      UUID.fromString(jobId);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          ("ZR-7108: Cannot commit a write to %s with the id %s, which is no UUID. The class is"
                  + " for spark.sql.sources.commitProtocolClass, not for"
                  + " spark.sql.streaming.commitProtocolClass.")
              .formatted(path, jobId),
          e);
    }
  }

  private Path qualified(Configuration conf) throws IOException {
    return qualified(new Path(path), conf);
  }

  /** As S3A and Spark qualify it. */
  static Path qualified(Path given, Configuration conf) throws IOException {
    // A bucket without a slash behind it.
    Path whole = given.toUri().getPath().isEmpty() ? new Path(given, Path.SEPARATOR) : given;
    return whole.makeQualified(
        FileSystem.getDefaultUri(conf),
        new Path("/user", UserGroupInformation.getCurrentUser().getShortUserName()));
  }

  private boolean isSparks() {
    return destination == null;
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    if (isSparks()) {
      sparks.setupTask(context);
    } else {
      task = new TaskWrite(jobId, new Path(destination), context);
    }
  }

  @Override
  public String newTaskTempFile(TaskAttemptContext context, Option<String> directory, String ext) {
    return newTaskTempFile(context, directory, new FileNameSpec("", ext));
  }

  @Override
  public String newTaskTempFile(
      TaskAttemptContext context, Option<String> directory, FileNameSpec spec) {
    if (isSparks()) {
      return sparks.newTaskTempFile(context, directory, spec);
    }
    Path root = new Path(destination);
    return file(directory.isDefined() ? new Path(root, directory.get()) : root, spec);
  }

  @Override
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String absoluteDirectory, String ext) {
    return newTaskTempFileAbsPath(context, absoluteDirectory, new FileNameSpec("", ext));
  }

  @Override
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String absoluteDirectory, FileNameSpec spec) {
    return isSparks()
        ? sparks.newTaskTempFileAbsPath(context, absoluteDirectory, spec)
        : file(new Path(absoluteDirectory), spec);
  }

  private String file(Path directory, FileNameSpec spec) {
    try {
      return task.file(directory, spec.prefix(), spec.suffix()).toString();
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  @Override
  public TaskCommitMessage commitTask(TaskAttemptContext context) {
    if (isSparks()) {
      return sparks.commitTask(context);
    }
    try {
      return new TaskCommitMessage(task.commit(context));
    } catch (IOException e) {
      throw Rethrow.unchecked(e);
    }
  }

  /** Called in a handler of the failure for which the task is aborted, which must not be hidden. */
  @Override
  public void abortTask(TaskAttemptContext context) {
    if (isSparks()) {
      sparks.abortTask(context);
    } else if (task != null) {
      task.abort();
    }
  }

  @Override
  public void onTaskCommit(TaskCommitMessage message) {
    if (isSparks()) {
      sparks.onTaskCommit(message);
      return;
    }
    committedTasks.add((byte[]) message.obj());
  }

  /** For Scala 2.12. */
  @Override
  public void commitJob(JobContext context, scala.collection.Seq<TaskCommitMessage> messages) {
    commit(context, messages, scala.collection.Seq.class);
  }

  /** For Scala 2.13. */
  public void commitJob(
      JobContext context, scala.collection.immutable.Seq<TaskCommitMessage> messages) {
    commit(context, messages, scala.collection.immutable.Seq.class);
  }

  private void commit(
      JobContext context, scala.collection.Seq<TaskCommitMessage> messages, Class<?> type) {
    try {
      if (isSparks()) {
        // Only one of the two methods exists, and not the one against which this is compiled.
        FileCommitProtocol.class
            .getMethod("commitJob", JobContext.class, type)
            .invoke(sparks, context, messages);
        return;
      }
      List<byte[]> documents = new ArrayList<>();
      for (Iterator<TaskCommitMessage> all = messages.iterator(); all.hasNext(); ) {
        documents.add((byte[]) all.next().obj());
      }
      WrittenFiles written = WrittenFiles.of(documents);
      if (hive == null) {
        Optional<StagedInsert> insert = StagedInsert.in(new Path(destination));
        if (insert.isPresent()) {
          insert.get().begin(context.getConfiguration());
        }
        job.commit(documents, written, dynamicOverwrite, replaced, false);
        insert.ifPresent(it -> it.staged(written));
        return;
      }
      hive.refuseTooManyPartitions(written, context.getConfiguration());
      List<CatalogTablePartition> existing = hive.distrustStatistics(written, replaced);
      // A Hive that runs has its staging directory there.
      Optional<WrittenFiles> earlier =
          job.commit(documents, written, dynamicOverwrite, replaced, true);
      if (earlier.isPresent()) {
        // That of the partitions which have got its files, as these tasks may have written none.
        existing = hive.distrustStatistics(earlier.get(), replaced);
      }
      hive.tellMetastore(existing, earlier.orElse(written), replaced, context.getConfiguration());
    } catch (InvocationTargetException e) {
      throw Rethrow.unchecked(e.getCause());
    } catch (IOException | ReflectiveOperationException e) {
      throw Rethrow.unchecked(e);
    }
  }

  /** Spark also calls this after a commit, where its statistics fail. */
  @Override
  public void abortJob(JobContext context) {
    if (isSparks()) {
      sparks.abortJob(context);
    } else {
      job.abort(List.copyOf(committedTasks), replaced);
    }
  }
}
