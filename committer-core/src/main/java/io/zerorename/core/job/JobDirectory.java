package io.zerorename.core.job;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * What the committer keeps about one job while it runs: where it writes, who does, and how its task
 * attempts ended. The decision itself is in the {@link io.zerorename.core.log.CommitLog} of the
 * job's destination.
 *
 * <pre>
 * &lt;work dir&gt;/jobs/&lt;job id&gt;/log                where the decision is, and where the job writes
 * &lt;work dir&gt;/jobs/&lt;job id&gt;/writers/&lt;attempt&gt;~&lt;process&gt;  is empty, and there before its first file
 * &lt;work dir&gt;/jobs/&lt;job id&gt;/attempts/&lt;attempt&gt;.json
 * </pre>
 *
 * <p>By the notes of writers, a job whose manifests are gone is not taken for one that wrote
 * nothing, and the store is searched for what a writer may have left only where the plan has
 * nothing of it.
 *
 * <p>It belongs on the cluster file system. Where a cluster has none but S3, it is a prefix of a
 * bucket, and has no notes of writers, which would cost requests.
 */
public final class JobDirectory implements JobRecords {
  private static final String LOG = "log";
  private static final String WRITERS = "writers";

  /** A later application master of Tez may give the id of an attempt again, to another process. */
  private static final String PROCESS = "~" + UUID.randomUUID();

  private final Path directory;
  private final RecordStore records;
  private final AttemptRecords attempts;
  private final ManifestSource manifests;

  /** Empty where the records are on the cluster file system, and name it. */
  private final Optional<Path> destination;

  /**
   * A directory on a file system whose rename is atomic.
   *
   * @param manifests which attempts leave elsewhere too, and which name uploads that a sweep aborts
   *     unless they are committed
   */
  public JobDirectory(FileSystem fileSystem, Path directory, ManifestSource manifests) {
    this.directory = fileSystem.makeQualified(directory);
    this.records = new FileRecords(fileSystem, this.directory);
    this.attempts = new AttemptRecords(records);
    this.manifests = manifests;
    this.destination = Optional.empty();
  }

  /** A prefix of a bucket, for a job that writes below a destination. */
  public JobDirectory(ObjectStores stores, Path directory, Path destination) {
    this.directory = directory;
    this.records = new ObjectRecords(stores, directory);
    this.attempts = new AttemptRecords(records);
    this.manifests = (workers, action) -> {};
    this.destination = Optional.of(destination);
  }

  /** The same, without manifests elsewhere. */
  public static JobDirectory of(Path directory, Configuration conf) throws IOException {
    return new JobDirectory(directory.getFileSystem(conf), directory, (workers, action) -> {});
  }

  public Path path() {
    return directory;
  }

  /** The job's id, which is the directory's name. */
  public String jobId() {
    return directory.getName();
  }

  /** How the job's task attempts ended. */
  public AttemptRecords attempts() {
    return attempts;
  }

  @Override
  public void noteWriter(String writer) throws IOException {
    if (destination.isEmpty()) {
      records.putIfAbsent(noteOf(writer), new byte[0]);
    }
  }

  /** Whether an attempt wrote a file, as far as is known; in a bucket nothing is known. */
  public boolean hasFiles(String taskAttemptId) throws IOException {
    return notes().stream().map(JobDirectory::writerOf).anyMatch(taskAttemptId::equals);
  }

  private List<String> notes() throws IOException {
    return destination.isEmpty() ? records.namesIn(WRITERS) : List.of();
  }

  /** Attempt ids come from engines; encoded, they are names, and different ones stay different. */
  private static String noteOf(String writer) {
    return WRITERS + "/" + URLEncoder.encode(writer, StandardCharsets.UTF_8) + PROCESS;
  }

  private static String writerOf(String note) {
    return URLDecoder.decode(note.split("~", 2)[0], StandardCharsets.UTF_8);
  }

  /**
   * Distinguishes a job that wrote nothing from one whose manifests have vanished with their
   * directory. An overwrite would take the second for an empty result, and delete every old file.
   * For manifests that lie where others may delete them, if they name no file.
   */
  public void refuseLost() throws IOException {
    if (!notes().isEmpty()) {
      throw new IOException(
          ("ZR-3108: its tasks have written files (see %s/writers) but there is no manifest of any."
                  + " Something has deleted the staging directory, or all of its files, while the"
                  + " job ran.")
              .formatted(directory));
    }
  }

  /** Writes a document of the engine's own, as {@link RecordStore#putIfAbsent} does. */
  public boolean write(String name, byte[] document) throws IOException {
    return records.putIfAbsent(name, document);
  }

  /** A document of the engine's own, if there is one. */
  public Optional<byte[]> read(String name) throws IOException {
    return records.get(name);
  }

  /**
   * Notes that the job begins, where its decision will be, and where it writes.
   *
   * @param log the directory of its destination's {@link io.zerorename.core.log.CommitLog}
   * @param roots the directories below which its files lie
   */
  public void begin(Path log, List<Path> roots) throws IOException {
    StringBuilder lines = new StringBuilder().append(log.toUri());
    roots.forEach(root -> lines.append('\n').append(root.toUri()));
    write(LOG, lines.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Where the job's decision is to be found; empty where it has not begun. */
  public Optional<Path> log() throws IOException {
    return begunWith().stream().findFirst();
  }

  /** The directories below which the job's files lie, as far as was known when it began. */
  private List<Path> roots() throws IOException {
    return destination.isEmpty()
        ? begunWith().stream().skip(1).toList()
        : List.of(destination.get());
  }

  private List<Path> begunWith() throws IOException {
    return read(LOG).stream()
        .flatMap(document -> new String(document, StandardCharsets.UTF_8).lines())
        .map(line -> new Path(URI.create(line)))
        .toList();
  }

  /**
   * {@inheritDoc} Of attempts that have published the manifests say what they have uploaded. Others
   * may have left uploads; then the store is searched for keys that carry the job's id.
   *
   * <p>Deletes what only a running job needs. Where it fails the notes of writers stay, for the
   * next one that ends the job.
   */
  @Override
  public int cleanUp(ObjectStores stores, Optional<OpenEntry> entry, Workers workers)
      throws IOException {
    List<String> notes = notes();
    Set<String> committed = entry.map(it -> it.plan().attempts()).orElse(Set.of());
    boolean searches = destination.isPresent() || mayHaveLeft(notes, committed);
    Map<String, Path> named = new ConcurrentHashMap<>();
    ConsumerRaisingIOE<TaskManifest> add =
        manifest -> manifest.uploads().forEach(it -> named.put(it.uploadId(), it.destination()));
    attempts.forEachOtherPublished(workers, committed, add);
    manifests.forEach(workers, add);
    int aborted =
        new UploadSweep(stores, jobId(), named, searches ? roots() : List.of(), entry).run(workers);
    attempts.forget();
    workers.forEach(notes, note -> records.delete(List.of(WRITERS + "/" + note)));
    return aborted;
  }

  /**
   * Whether one of these writers may have left uploads: one of which nothing is committed, or one
   * of several of a task, of which files of each may be.
   */
  private static boolean mayHaveLeft(List<String> notes, Set<String> committed) {
    Set<String> tasks = new HashSet<>();
    // The ids of attempts end in the number of the attempt.
    return notes.stream()
        .map(JobDirectory::writerOf)
        .anyMatch(it -> !committed.contains(it) || !tasks.add(it.replaceFirst("_\\d+$", "")));
  }
}
