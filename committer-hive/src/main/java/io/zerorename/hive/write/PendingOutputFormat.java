package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.magic.fs.PendingFileSystem;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.util.Properties;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.exec.FileSinkOperator;
import org.apache.hadoop.hive.ql.exec.Utilities;
import org.apache.hadoop.hive.ql.io.HiveOutputFormat;
import org.apache.hadoop.hive.ql.io.HivePassThroughOutputFormat;
import org.apache.hadoop.hive.ql.io.StatsProvidingRecordWriter;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Lets a table's own output format write a pending upload to the file's final key, and puts a
 * manifest of that upload where Hive expects the file. Hive then renames, compares and counts
 * manifests on the scratch file system instead of data on S3.
 *
 * <p>Only plans that {@code ZeroRenameHook} has rewritten name this class. It is public because
 * Hive's tasks make it by reflection.
 */
public final class PendingOutputFormat implements HiveOutputFormat<Object, Writable> {
  /** By its name, because the constant of 4.0.1 has another one. */
  private static final String QUERY_ID = "hive.query.id";

  @Override
  public FileSinkOperator.RecordWriter getHiveRecordWriter(
      JobConf conf,
      Path temporary,
      Class<? extends Writable> valueClass,
      boolean isCompressed,
      Properties tableProperties,
      Progressable progress)
      throws IOException {
    OutputSpec spec = OutputSpec.from(tableProperties);
    HiveOutputFormat<?, ?> format = tableFormat(conf, spec);
    Path destination =
        FinalNames.of(temporary, spec, Utilities.getFileExtension(conf, isCompressed, format));
    FileSystem scratch = temporary.getFileSystem(conf);
    TaskAttempt attempt =
        TaskAttempt.current(
            conf.get(QUERY_ID, ""),
            spec.jobId(),
            conf.get(MRJobConfig.TASK_ATTEMPT_ID, Utilities.getTaskId(conf)));
    SinkWriters sink =
        attempt.sink(
            spec.directory(), CoreKeys.UPLOAD_THREADS.from(conf, destination.toUri().getHost()));
    JobDirectory job = JobDirectory.of(new Path(spec.workDir(), spec.jobId()), conf);
    PendingSession session =
        PendingSession.open(
            conf,
            new SessionSpec(
                destination,
                job.jobId(),
                job::noteWriter,
                attempt.id(),
                attempt.id() + "-" + UUID.randomUUID(),
                attempt.inline(conf, destination.toUri().getHost()),
                path -> path));
    FileSinkOperator.RecordWriter writer;
    try {
      PendingFileSystem.register(conf);
      writer =
          format.getHiveRecordWriter(
              conf,
              session.pathOf(destination),
              valueClass,
              isCompressed,
              tableProperties,
              progress);
    } catch (IOException | RuntimeException | Error e) {
      try (session) {
        PendingWriter.abort(session, e);
        throw e;
      }
    }
    PendingWriter pending =
        new PendingWriter(
            writer,
            session,
            sink,
            temporary,
            files -> TaskManifest.of(spec.jobId(), attempt.id(), files).write(scratch, temporary),
            progress);
    sink.opened(pending);
    return writer instanceof StatsProvidingRecordWriter stats
        ? new StatsPendingWriter(pending, stats)
        : pending;
  }

  /** The table's own output format, wrapped as Hive itself does where it is not one of Hive's. */
  private static HiveOutputFormat<?, ?> tableFormat(JobConf conf, OutputSpec spec) {
    Class<?> type = conf.getClassByNameOrNull(spec.outputFormat());
    if (type == null) {
      throw new IllegalStateException(
          ("ZR-2304: The output format %s of the table at %s is not on the class path of the"
                  + " task. Add its jar to hive.aux.jars.path.")
              .formatted(spec.outputFormat(), spec.destination()));
    }
    Object format = ReflectionUtils.newInstance(type, conf);
    return format instanceof HiveOutputFormat<?, ?> hive
        ? hive
        : new HivePassThroughOutputFormat<>((OutputFormat<?, ?>) format);
  }

  @Override
  public RecordWriter<Object, Writable> getRecordWriter(
      FileSystem ignored, JobConf job, String name, Progressable progress) {
    throw new UnsupportedOperationException(
        "ZR-2305: only Hive can write by this format. Give the table its real output format");
  }

  @Override
  public void checkOutputSpecs(FileSystem ignored, JobConf job) {
    // Hive checks the output of storage handlers only, which are not eligible.
  }
}
