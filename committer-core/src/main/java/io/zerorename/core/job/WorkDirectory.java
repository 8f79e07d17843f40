package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.RecordStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
 * &lt;work dir&gt;/checks/…                what was checked today, or swept in this hour
 * </pre>
 */
public final class WorkDirectory {
  /** Of notes that something was done; also in a bucket, beside its logs. */
  public static final String CHECKS = "checks";

  private static final String JOBS = "jobs";
  private static final FsPermission PRIVATE = new FsPermission((short) 0700);

  private final FileSystem fileSystem;
  private final Path root;

  public WorkDirectory(FileSystem fileSystem, Path root) {
    this.fileSystem = requireNonNull(fileSystem, "fileSystem");
    this.root = fileSystem.makeQualified(requireNonNull(root, "root"));
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
  public Path open() throws IOException {
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

  /** Where {@link #open} leads to, without making it. */
  public static Path jobsOf(Path root) {
    return new Path(root, JOBS);
  }

  public FileSystem fileSystem() {
    return fileSystem;
  }

  /**
   * Whether it is there.
   *
   * @throws IOException where others can write to it, and it must not be trusted
   */
  public boolean exists() throws IOException {
    if (!fileSystem.exists(root)) {
      return false;
    }
    refuseOthers(root);
    return true;
  }

  /** The name of a note, which readers take for no data, as with records of the log. */
  public static String nameOf(String check) {
    return CHECKS + "/_" + check;
  }

  /**
   * Deletes the notes that were written before a time.
   *
   * @param kept one that stays: the clock of the notes may be days behind
   */
  public void deleteNotes(Instant before, String kept) throws IOException {
    try {
      for (FileStatus note : fileSystem.listStatus(new Path(root, CHECKS))) {
        if (note.getModificationTime() < before.toEpochMilli()
            && !kept.equals(CHECKS + "/" + note.getPath().getName())) {
          fileSystem.delete(note.getPath(), false);
        }
      }
    } catch (FileNotFoundException e) {
      // There was none yet.
    }
  }

  /** Records about no job in particular. */
  public RecordStore records() {
    return new FileRecords(fileSystem, root);
  }

  /** The directory of a job, where it is one of this user's jobs and still there. */
  public Optional<JobDirectory> recordsOf(OutputJob job) throws IOException {
    // A plan may be another user's; no other user can have written below this directory.
    Optional<Path> directory =
        job.records()
            .filter(path -> path.toString().startsWith(root + "/"))
            .filter(path -> path.getName().equals(job.id()));
    return directory.isPresent() && fileSystem.exists(directory.get())
        ? Optional.of(new JobDirectory(fileSystem, directory.get()))
        : Optional.empty();
  }

  /** The directories of all jobs. */
  public List<Path> jobs() throws IOException {
    List<Path> jobs = new ArrayList<>();
    try {
      for (FileStatus job : fileSystem.listStatus(jobsOf(root))) {
        jobs.add(job.getPath());
      }
    } catch (FileNotFoundException e) {
      // There was none yet.
    }
    return jobs;
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
