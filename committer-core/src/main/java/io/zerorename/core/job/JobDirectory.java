package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What the committer keeps about one job while it runs: the journal of its uploads, and how its
 * task attempts ended. The note that it was decided stays after the job has ended, so that a task
 * attempt that outlives its job still finds it; the decision itself is in the {@link
 * io.zerorename.core.log.CommitLog} of the job's destination.
 *
 * <pre>
 * &lt;work dir&gt;/&lt;job id&gt;/decided        no upload is begun any more
 * &lt;work dir&gt;/&lt;job id&gt;/log            where the decision is
 * &lt;work dir&gt;/&lt;job id&gt;/journal/&lt;attempt&gt;/&lt;entry&gt;.intent, &lt;entry&gt;.upload
 * &lt;work dir&gt;/&lt;job id&gt;/attempts/&lt;attempt&gt;.json
 * &lt;work dir&gt;/&lt;job id&gt;/finished       nothing is left to do here
 * </pre>
 *
 * <p>It belongs on the cluster file system. Where a cluster has none but S3, it is a prefix of a
 * bucket, and there is no journal.
 */
public final class JobDirectory implements JobRecords {
  private static final FsPermission PRIVATE = new FsPermission((short) 0700);
  private static final String DECIDED = "decided";
  private static final String FINISHED = "finished";
  private static final String LOG = "log";

  private final Path directory;
  private final RecordStore records;
  private final JobUploads uploads;
  private final AttemptRecords attempts;
  private final Optional<FileSystem> fileSystem;

  /** A directory on a file system whose rename is atomic. */
  public JobDirectory(FileSystem fileSystem, Path directory) {
    this.directory = fileSystem.makeQualified(requireNonNull(directory, "directory"));
    this.fileSystem = Optional.of(fileSystem);
    this.records = new FileRecords(fileSystem, this.directory);
    this.attempts = new AttemptRecords(records);
    this.uploads =
        new UploadJournal(
            fileSystem, new Path(this.directory, "journal"), new Path(this.directory, DECIDED));
  }

  /**
   * A prefix of a bucket.
   *
   * @param destination below which the job writes
   */
  public JobDirectory(ObjectStores stores, Path directory, Path destination) {
    this.directory = requireNonNull(directory, "directory");
    this.fileSystem = Optional.empty();
    this.records = new ObjectRecords(stores, directory);
    this.attempts = new AttemptRecords(records);
    this.uploads = new ListedUploads(stores, destination, jobId(), attempts);
  }

  public static JobDirectory of(Path directory, Configuration conf) throws IOException {
    return new JobDirectory(directory.getFileSystem(conf), directory);
  }

  @Override
  public Path path() {
    return directory;
  }

  /** The job's id, which is the directory's name. */
  @Override
  public String jobId() {
    return directory.getName();
  }

  /** How the job's task attempts ended. */
  public AttemptRecords attempts() {
    return attempts;
  }

  /**
   * The journal for the writers of an attempt. On a file system it accepts no upload once the job
   * is decided; in a bucket it keeps and refuses nothing.
   */
  @Override
  public IntentJournal journal(String taskAttemptId) {
    return uploads.journalOf(taskAttemptId);
  }

  public JobUploads uploads() {
    return uploads;
  }

  /** Whether an attempt wrote a file, as far as is known; without a journal nothing is known. */
  public boolean hasFiles(String taskAttemptId) throws IOException {
    try (Workers workers = new Workers(1)) {
      return uploads.hasInlined(taskAttemptId)
          || !uploads.readAttempt(taskAttemptId, workers).isEmpty();
    }
  }

  /**
   * Distinguishes a job that wrote nothing from one whose manifests have vanished with their
   * directory. An overwrite would take the second for an empty result, and delete every old file.
   * For manifests that lie where others may delete them.
   */
  public ManifestSource refusingLost(ManifestSource source) {
    return source.withoutFiles(
        () -> {
          if (!uploads.isEmpty()) {
            throw new IOException(
                ("ZR-3108: its tasks have written files (see %s/journal) but there is no manifest"
                        + " of any. Something has deleted the staging directory, or all of its"
                        + " files, while the job ran.")
                    .formatted(directory));
          }
        });
  }

  /**
   * Writes a document of the engine's own, unless there is one of that name.
   *
   * @return whether it was written by this call; {@code false} may also mean that it was, and that
   *     the answer to a first try was lost
   */
  public boolean note(String name, byte[] document) throws IOException {
    create();
    return records.putIfAbsent(name, document);
  }

  /** A document of the engine's own, if there is one. */
  public Optional<byte[]> note(String name) throws IOException {
    return records.get(name);
  }

  /** Makes the directory, readable by its owner only; nothing happens where it exists. */
  public void create() throws IOException {
    if (fileSystem.isPresent() && !fileSystem.get().mkdirs(directory, PRIVATE)) {
      throw new IOException(
          ("ZR-3109: Cannot make the job's directory %s. Check that zerorename.work.dir names a"
                  + " directory that you may write to.")
              .formatted(directory));
    }
  }

  /** The file whose age is the time since the job ended. */
  static Path finishedFile(Path jobDirectory) {
    return new Path(jobDirectory, FINISHED);
  }

  /**
   * Notes that the job begins, and where its decision will be.
   *
   * @param log the directory of its destination's {@link io.zerorename.core.log.CommitLog}
   */
  public void begin(Path log) throws IOException {
    note(LOG, log.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Where the job's decision is to be found; empty where it has not begun. */
  public Optional<Path> log() throws IOException {
    return note(LOG).map(document -> new Path(new String(document, StandardCharsets.UTF_8)));
  }

  /** When the job began, by the file system's clock; see {@link #begin}. */
  public Instant begun() throws IOException {
    return Instant.ofEpochMilli(
        fileSystem.orElseThrow().getFileStatus(new Path(directory, LOG)).getModificationTime());
  }

  /** When an attempt of the job last began or ended, by the file system's clock. */
  public Instant lastChange() throws IOException {
    FileSystem files = fileSystem.orElseThrow();
    long latest = files.getFileStatus(directory).getModificationTime();
    for (FileStatus child : files.listStatus(directory)) {
      latest = Math.max(latest, child.getModificationTime());
    }
    return Instant.ofEpochMilli(latest);
  }

  /** Whether nothing is left to do in this directory. */
  public boolean isFinished() throws IOException {
    return records.get(FINISHED).isPresent();
  }

  /**
   * {@inheritDoc}
   *
   * <p>It notes that the job was decided before it searches for uploads, so that a writer that
   * still runs finds the note, and stops, or is found; see {@link UploadJournal}.
   */
  @Override
  public UploadSweep sweep(ObjectStores stores, CommittedUploads committed) throws IOException {
    create();
    if (fileSystem.isPresent()) {
      records.putIfAbsent(DECIDED, new byte[0]);
    }
    return new UploadSweep(stores, jobId(), committed, workers -> uploads.read(committed, workers));
  }

  /**
   * Aborts a task attempt, in any process: it cannot publish any more, and the uploads that it has
   * begun are aborted. An attempt that has published keeps its uploads; the job's commit chooses
   * among those and aborts the others.
   *
   * <p>An upload whose id the attempt could not note is left to the end of the job: it could be
   * found by its key only, which another attempt of the same task may have as well.
   *
   * @return whether the attempt is aborted; {@code false}: it has published
   * @throws IOException where one could not be aborted, though the others were; the end of the job
   *     tries the rest again
   */
  public boolean abortAttempt(String taskAttemptId, ObjectStores stores, CommitSettings settings)
      throws IOException {
    create();
    if (!attempts.abort(taskAttemptId)) {
      return false;
    }
    try (Workers workers = settings.workers()) {
      new UploadSweep(
              stores,
              jobId(),
              CommittedUploads.none(),
              it ->
                  uploads.readAttempt(taskAttemptId, it).stream()
                      .filter(upload -> upload.uploadId().isPresent())
                      .toList())
          .run(workers);
    }
    return true;
  }

  /**
   * {@inheritDoc} Deletes what only a running job needs; not the journal, where an upload may yet
   * appear that only the journal knows.
   */
  @Override
  public void finish(UploadSweep.Result sweep) throws IOException {
    if (fileSystem.isPresent()) {
      create();
      records.putIfAbsent(FINISHED, new byte[0]);
    }
    attempts.forget();
    if (sweep.unresolved() == 0) {
      uploads.forget();
    }
  }
}
