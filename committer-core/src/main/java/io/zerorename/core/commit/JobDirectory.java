package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.upload.IntentJournal;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What the committer keeps about one job on the cluster file system: the journal of its uploads and
 * its decision. The decision stays after the job has ended, so that a task attempt that outlives
 * its job still finds it.
 *
 * <pre>
 * &lt;work dir&gt;/&lt;job id&gt;/decision.json
 * &lt;work dir&gt;/&lt;job id&gt;/journal/&lt;entry&gt;.intent, &lt;entry&gt;.upload
 * &lt;work dir&gt;/&lt;job id&gt;/finished       nothing is left to do
 * </pre>
 */
public final class JobDirectory {
  private static final FsPermission PRIVATE = new FsPermission((short) 0700);

  private final FileSystem fileSystem;
  private final Path directory;

  public JobDirectory(FileSystem fileSystem, Path directory) {
    this.fileSystem = requireNonNull(fileSystem, "fileSystem");
    this.directory = fileSystem.makeQualified(requireNonNull(directory, "directory"));
  }

  public static JobDirectory of(Path directory, Configuration conf) throws IOException {
    return new JobDirectory(directory.getFileSystem(conf), directory);
  }

  public Path path() {
    return directory;
  }

  /** The job's id, which is the directory's name. */
  public String jobId() {
    return directory.getName();
  }

  /** The decision about the job. */
  public DecisionLog decisions() {
    return new DecisionFile(fileSystem, decisionFile());
  }

  /** The journal for writers. It accepts no further upload once the job is decided. */
  public IntentJournal journal() {
    return uploads();
  }

  UploadJournal uploads() {
    return new UploadJournal(fileSystem, new Path(directory, "journal"), decisionFile());
  }

  /** Makes the directory, readable by its owner only; nothing happens where it exists. */
  public void create() throws IOException {
    if (!fileSystem.mkdirs(directory, PRIVATE)) {
      throw new IOException(
          "Cannot make the job's directory "
              + directory
              + ". Check that zerorename.work.dir names a directory that you may write to.");
    }
  }

  /** Whether the job was carried to its end, by whichever process. */
  boolean isFinished() throws IOException {
    return fileSystem.exists(finishedFile());
  }

  /** Whether the job was carried to its end before a time. */
  boolean finishedBefore(Instant time) throws IOException {
    try {
      return fileSystem.getFileStatus(finishedFile()).getModificationTime() < time.toEpochMilli();
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /**
   * Notes that nothing is left to do for this job, and deletes the journal, unless an upload may
   * yet appear that only the journal knows.
   */
  void finish(SweepUploads.Result sweep) throws IOException {
    create();
    fileSystem.create(finishedFile(), true).close();
    if (sweep.unresolved() == 0) {
      fileSystem.delete(new Path(directory, "journal"), true);
    }
  }

  private Path finishedFile() {
    return new Path(directory, "finished");
  }

  private Path decisionFile() {
    return new Path(directory, "decision.json");
  }
}
