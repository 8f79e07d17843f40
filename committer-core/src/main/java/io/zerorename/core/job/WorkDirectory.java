package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.RecordStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
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
 * Holds the directories of all jobs of a user. Those of engines that can pass a path to their tasks
 * lie by the day on which they were planned. The tasks of others know no more than their job's id.
 *
 * <pre>
 * &lt;work dir&gt;/2026-11-21/&lt;job id&gt;/…
 * &lt;work dir&gt;/jobs/&lt;job id&gt;/…
 * &lt;work dir&gt;/checks/…                what was checked today
 * </pre>
 */
public final class WorkDirectory {
  /**
   * How long the directory of a finished job is kept. Notes of its writers must be there until a
   * later job has looked for what they have left.
   */
  public static final int KEPT_DAYS = CommitLog.KEPT_DAYS;

  private static final String UNDATED = "jobs";
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
   * Makes the directory for the jobs of a day, readable by its owner only.
   *
   * @return that directory; a job's own is below it and has the job's id for a name
   * @throws IOException where it cannot be made; the message says what to check
   */
  public Path open(LocalDate day) throws IOException {
    return open(dated(root, day));
  }

  /** Where {@link #open(LocalDate)} leads to, without making it. */
  public static Path dated(Path root, LocalDate day) {
    return new Path(root, day.toString());
  }

  /** Like {@link #open(LocalDate)}, for jobs whose tasks cannot know a day. */
  public Path openUndated() throws IOException {
    return open(undated(root));
  }

  /** Where {@link #openUndated} leads to, without making it. */
  public static Path undated(Path root) {
    return new Path(root, UNDATED);
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
    for (FileStatus child : list(root)) {
      if (dayOf(child.getPath()).isPresent() || child.getPath().getName().equals(UNDATED)) {
        for (FileStatus job : list(child.getPath())) {
          jobs.add(job.getPath());
        }
      }
    }
    return jobs;
  }

  private Path open(Path directory) throws IOException {
    try {
      if (fileSystem.mkdirs(root.getParent())
          && fileSystem.mkdirs(root, PRIVATE)
          && fileSystem.mkdirs(directory, PRIVATE)) {
        refuseOthers(root);
        refuseOthers(directory);
        return directory;
      }
    } catch (IOException e) {
      throw new IOException(cannotMake(directory) + " " + e.getMessage(), e);
    }
    throw new IOException(cannotMake(directory));
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

  /**
   * Removes the directories of jobs that were planned and finished more than {@value #KEPT_DAYS}
   * days ago. Those of unfinished jobs stay: they say what is left to do.
   *
   * @param today by a store's clock, because a machine's may be off by days
   */
  public void purge(LocalDate today) throws IOException {
    LocalDate kept = today.minusDays(KEPT_DAYS);
    Instant until = kept.atStartOfDay(ZoneOffset.UTC).toInstant();
    for (FileStatus child : list(root)) {
      Path directory = child.getPath();
      Optional<LocalDate> day = dayOf(directory);
      if (day.filter(it -> it.isBefore(kept)).isPresent()) {
        purgeJobs(directory, until);
        if (list(directory).isEmpty()) {
          fileSystem.delete(directory, false);
        }
      } else if (directory.getName().equals(UNDATED)) {
        purgeJobs(directory, until);
      } else if (directory.getName().equals(CommitDirectoryCheck.CHECKS)) {
        purgeOld(directory, until);
      }
    }
  }

  private void purgeOld(Path directory, Instant until) throws IOException {
    for (FileStatus file : list(directory)) {
      if (file.getModificationTime() < until.toEpochMilli()) {
        fileSystem.delete(file.getPath(), false);
      }
    }
  }

  private void purgeJobs(Path jobs, Instant until) throws IOException {
    for (FileStatus job : list(jobs)) {
      if (finishedBefore(job.getPath(), until)) {
        fileSystem.delete(job.getPath(), true);
      }
    }
  }

  private boolean finishedBefore(Path job, Instant time) throws IOException {
    try {
      return fileSystem.getFileStatus(JobDirectory.finishedFile(job)).getModificationTime()
          < time.toEpochMilli();
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /** What is in a directory; nothing where it is absent: another process deletes as well. */
  private List<FileStatus> list(Path directory) throws IOException {
    try {
      return List.of(fileSystem.listStatus(directory));
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  private static Optional<LocalDate> dayOf(Path directory) {
    try {
      return Optional.of(LocalDate.parse(directory.getName()));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
