package io.zerorename.hive.write;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.Failures;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.metastore.StagedPartitions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.mapreduce.MRConfig;

/**
 * The files of an INSERT that Hive has merged on the scratch file system. Uploads them to their
 * final keys as tasks would have, and leaves a manifest for each where the commit looks for those
 * of tasks.
 */
public final class MergedFiles {
  private final OutputSpec spec;
  private final Path scratchDir;
  private final HiveConf conf;
  private final FileSystem scratch;
  private final List<ScratchFile> files = new ArrayList<>();
  private long bytes;

  private MergedFiles(OutputSpec spec, FileSystem scratch, Path scratchDir, HiveConf conf) {
    this.spec = requireNonNull(spec, "spec");
    this.scratchDir = requireNonNull(scratchDir, "scratchDir");
    this.conf = requireNonNull(conf, "conf");
    this.scratch = requireNonNull(scratch, "scratch");
  }

  /**
   * Those in a directory.
   *
   * @param source where they are, those of dynamic partitions in theirs
   * @param dynamicColumns the partition columns that the rows decide about, the first level first
   * @param scratchDir for what a job needs; the caller removes it
   */
  public static MergedFiles in(
      OutputSpec spec, Path source, List<String> dynamicColumns, Path scratchDir, HiveConf conf)
      throws IOException {
    MergedFiles merged = new MergedFiles(spec, source.getFileSystem(conf), scratchDir, conf);
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
            new ScratchFile(
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
   * Whether tasks on the cluster's machines upload them, and not this process: a job takes seconds
   * to start.
   */
  public boolean isJob() {
    return bytes >= Math.max(1, HiveKeys.MERGE_JOB_MIN_BYTES.from(conf))
        && !conf.get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME)
            .equals(MRConfig.LOCAL_FRAMEWORK_NAME);
  }

  /**
   * Uploads all of them.
   *
   * @param requests that this process sends at once, if it uploads them itself
   * @param refuseIfCancelled fails where the query was cancelled
   */
  public void upload(int requests, Failures.Step refuseIfCancelled) throws IOException {
    // The commit reads it, also where the INSERT has no rows.
    scratch.mkdirs(spec.staging());
    if (isJob()) {
      UploadJob.run(spec, files, bytes, scratchDir, conf, refuseIfCancelled);
    } else {
      UploadAttempt.inProcess(spec)
          .upload(files, requests, new Configuration(conf), refuseIfCancelled);
    }
    refuseMissing();
  }

  /** A file without a manifest would be lost. */
  private void refuseMissing() throws IOException {
    RemoteIterator<LocatedFileStatus> manifests = scratch.listFiles(spec.staging(), true);
    int uploaded = 0;
    for (; manifests.hasNext(); manifests.next()) {
      uploaded++;
    }
    if (uploaded != files.size()) {
      throw new IOException(
          ("ZR-2311: %s of the %s merged files for %s were uploaded. Nothing was committed; run"
                  + " the statement again.")
              .formatted(uploaded, files.size(), spec.destination()));
    }
  }
}
