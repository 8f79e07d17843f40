package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.hive.metastore.StagedPartitions;
import io.zerorename.magic.fs.PendingFileSystem;
import io.zerorename.magic.fs.PendingSession;
import io.zerorename.magic.fs.SessionSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * The files of an INSERT that Hive has merged on the scratch file system. Uploads them to their
 * final keys as tasks would have, and leaves a manifest for each where the commit looks for those
 * of tasks.
 */
public final class MergedFiles {
  private static final String ATTEMPT = "merged";
  private static final int BUFFER = 128 << 10;

  /** A file, its final path, and where the commit looks for the manifest of its upload. */
  private record MergedFile(Path source, Path destination, Path manifest) {}

  private final OutputSpec spec;
  private final HiveConf conf;
  private final FileSystem scratch;
  private final List<MergedFile> files = new ArrayList<>();
  private long bytes;

  private MergedFiles(OutputSpec spec, FileSystem scratch, HiveConf conf) {
    this.spec = spec;
    this.conf = conf;
    this.scratch = scratch;
  }

  /**
   * Those in a directory.
   *
   * @param source where they are, those of dynamic partitions in theirs
   * @param dynamicColumns the partition columns that the rows decide about, the first level first
   */
  public static MergedFiles in(
      OutputSpec spec, Path source, List<String> dynamicColumns, HiveConf conf) throws IOException {
    MergedFiles merged = new MergedFiles(spec, source.getFileSystem(conf), conf);
    if (!dynamicColumns.isEmpty()) {
      for (Path partition : StagedPartitions.in(merged.scratch, source, dynamicColumns)) {
        merged.addAll(partition, lastLevels(partition, dynamicColumns.size()));
      }
    } else if (merged.scratch.exists(source)) {
      merged.addAll(source, "");
    }
    return merged;
  }

  private static String lastLevels(Path path, int levels) {
    return levels == 1
        ? path.getName()
        : lastLevels(path.getParent(), levels - 1) + Path.SEPARATOR + path.getName();
  }

  /**
   * Without those that Hive's MoveTask skips.
   *
   * @param below the directory's path below that of all files, or ""
   */
  private void addAll(Path directory, String below) throws IOException {
    Path staging = below.isEmpty() ? spec.staging() : new Path(spec.staging(), below);
    for (FileStatus status : scratch.listStatus(directory, FileUtils.HIDDEN_FILES_PATH_FILTER)) {
      String name = status.getPath().getName();
      if (status.isDirectory()) {
        addAll(status.getPath(), below.isEmpty() ? name : below + Path.SEPARATOR + name);
      } else {
        bytes += status.getLen();
        files.add(
            new MergedFile(
                status.getPath(), FinalNames.ofMerged(below, name, spec), new Path(staging, name)));
      }
    }
  }

  public int count() {
    return files.size();
  }

  /** The sum of their sizes. */
  public long bytes() {
    return bytes;
  }

  /**
   * Uploads all of them from this process.
   *
   * @param requests that are under way at once, at most: of several files, or parts of few
   * @param refuseIfCancelled fails where the query was cancelled
   */
  public void upload(int requests, InvocationRaisingIOE refuseIfCancelled) throws IOException {
    // The commit reads it, also where the INSERT has no rows.
    scratch.mkdirs(spec.staging());
    if (files.isEmpty()) {
      return;
    }
    Configuration settings = new Configuration(conf);
    String bucket = ObjectKeys.bucketOf(spec.destination());
    int atOnce = Math.min(files.size(), requests);
    // While parts are sent, the thread of their file waits.
    int ofFile =
        Math.max(1, Math.min(CoreKeys.UPLOAD_THREADS.from(settings, bucket), requests / atOnce));
    settings.setInt(CoreKeys.UPLOAD_THREADS.nameIn(settings, bucket), ofFile);
    PendingFileSystem.register(settings);
    JobDirectory job = JobDirectory.of(new Path(spec.workDir(), spec.jobId()), settings);
    new Workers(atOnce, CoreKeys.PROCESS_THREADS.from(settings))
        .forEach(files, file -> upload(file, job, settings, refuseIfCancelled));
  }

  /**
   * As a task that writes it would. Where that fails, the upload is aborted: its statement is not
   * committed.
   *
   * @param between reads; stops the upload where it fails
   */
  private void upload(
      MergedFile file, JobDirectory job, Configuration settings, InvocationRaisingIOE between)
      throws IOException {
    try (PendingSession session =
        PendingSession.open(
            settings,
            new SessionSpec(
                file.destination(),
                job.jobId(),
                job::noteWriter,
                ATTEMPT,
                ATTEMPT + "-" + UUID.randomUUID(),
                InlineSettings.none(),
                path -> path))) {
      try {
        copy(file.source(), session.pathOf(file.destination()), settings, between);
        TaskManifest.of(job.jobId(), ATTEMPT, session.files()).write(scratch, file.manifest());
      } catch (IOException | RuntimeException | Error e) {
        PendingWriter.abort(session, e);
        throw e;
      }
    }
  }

  private void copy(Path source, Path pending, Configuration settings, InvocationRaisingIOE between)
      throws IOException {
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = scratch.open(source);
        OutputStream out = pending.getFileSystem(settings).create(pending, false)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        between.apply();
      }
    }
  }
}
