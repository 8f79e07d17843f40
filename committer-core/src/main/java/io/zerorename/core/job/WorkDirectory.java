package io.zerorename.core.job;

import io.zerorename.core.document.PrivateFiles;
import io.zerorename.core.store.Failures;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Holds the directories of all jobs of a user.
 *
 * <pre>
 * &lt;work dir&gt;/jobs/&lt;job id&gt;/…
 * &lt;work dir&gt;/checks/…                what was checked or done today
 * </pre>
 */
public record WorkDirectory(FileSystem fileSystem, Path root) {
  /** Of notes that something was done; also in a bucket, beside its logs. */
  static final String CHECKS = "checks";

  /**
   * A job begins to commit within six days and has decided within one more. Each record changes the
   * time of its job's directory.
   */
  private static final Duration KEPT = Duration.ofDays(8);

  private static final Duration DAY = Duration.ofDays(1);

  private static final String JOBS = "jobs";
  private static final FsPermission PRIVATE = new FsPermission((short) 0700);

  public WorkDirectory {
    root = fileSystem.makeQualified(root);
  }

  public static WorkDirectory of(Path root, Configuration conf) throws IOException {
    return new WorkDirectory(root.getFileSystem(conf), root);
  }

  /**
   * Makes it, with the directory for jobs, readable by its owner only.
   *
   * @return the directory for jobs; a job's own is below it and has the job's id for a name
   * @throws IOException where it cannot be made; the message says what to check
   */
  public Path create() throws IOException {
    Path jobs = jobsOf(root);
    try {
      if (fileSystem.mkdirs(root.getParent())
          && fileSystem.mkdirs(root, PRIVATE)
          && fileSystem.mkdirs(jobs, PRIVATE)) {
        refuseOthers(root);
        refuseOthers(jobs);
        return jobs;
      }
    } catch (IOException e) {
      throw new IOException(cannotMake(jobs) + " " + e.getMessage(), e);
    }
    throw new IOException(cannotMake(jobs));
  }

  /** Where {@link #create} leads to, without making it. */
  public static Path jobsOf(Path root) {
    return new Path(root, JOBS);
  }

  /** The name of a note, which readers take for no data, as with records of the log. */
  static String nameOf(String check) {
    return CHECKS + "/_" + check;
  }

  /**
   * Deletes, once a day, the directories of jobs that have written no record for days, and old
   * notes. What has not been decided by then cannot be any more, and to execute an entry takes no
   * record.
   */
  public void deleteOld() throws IOException {
    Path note = new Path(root, nameOf("cleaned"));
    if (fileSystem.exists(note)
        && Instant.ofEpochMilli(timeOf(note)).plus(DAY).isAfter(Instant.now())) {
      return;
    }
    PrivateFiles.write(fileSystem, note, new byte[0], true);
    // By the file system's clock: a machine that is days ahead would take running jobs for old.
    long oldest = timeOf(note) - KEPT.toMillis();
    // One that cannot be deleted keeps none of the others.
    Failures failures = new Failures();
    for (Path directory : List.of(jobsOf(root), new Path(root, CHECKS))) {
      for (FileStatus child : statuses(directory)) {
        if (child.getModificationTime() < oldest) {
          failures.of(() -> fileSystem.delete(child.getPath(), true));
        }
      }
    }
    failures.throwAny();
  }

  private long timeOf(Path file) throws IOException {
    return fileSystem.getFileStatus(file).getModificationTime();
  }

  private FileStatus[] statuses(Path directory) throws IOException {
    try {
      return fileSystem.listStatus(directory);
    } catch (FileNotFoundException e) {
      // There was none yet.
      return new FileStatus[0];
    }
  }

  /** Another user who can write here could plant a decision, which we would execute. */
  private void refuseOthers(Path directory) throws IOException {
    FileStatus status = fileSystem.getFileStatus(directory);
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    boolean writableByOthers =
        status.getPermission().getGroupAction().implies(FsAction.WRITE)
            || status.getPermission().getOtherAction().implies(FsAction.WRITE);
    if (!status.getOwner().equals(user) || writableByOthers) {
      throw new IOException(
          ("ZR-3119: %s belongs to %s with permissions %s; it must belong to %s, and no other user"
                  + " may write to it.")
              .formatted(directory, status.getOwner(), status.getPermission(), user));
    }
  }

  private static String cannotMake(Path directory) {
    return ("ZR-3120: Cannot make the directory %s for the committer's records. Check that"
            + " zerorename.work.dir (by default a directory in the engine's scratch directory) may"
            + " be written to.")
        .formatted(directory);
  }
}
