package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.manifest.PrivateFiles;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.upload.IntentJournal;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A journal of two small files per upload, in a directory per task attempt: {@code <entry>.intent}
 * with the destination, closed before the upload is created, and {@code <entry>.upload} with its
 * id, written after. An empty file {@code handed-over} says that there were inlined files.
 *
 * <p>It also fences. A writer checks whether the job was decided after it has written an intent,
 * and again after it has written the id; a sweep notes the decision first and reads the journal
 * then. So either the sweep sees the writer's entry or the writer sees the note, and one of them
 * aborts the upload. What remains is a writer that dies while its Create is under way: the sweep
 * may come before the store has the upload; it then keeps the entry.
 */
record UploadJournal(FileSystem fileSystem, Path directory, Path decided) implements JobUploads {
  private static final String INTENT = ".intent";
  private static final String UPLOAD = ".upload";
  private static final String INLINED = "handed-over";

  @Override
  public IntentJournal journalOf(String taskAttemptId) {
    return new AttemptJournal(directoryOf(taskAttemptId));
  }

  private final class AttemptJournal implements IntentJournal {
    private final Path own;
    private boolean noted;

    AttemptJournal(Path own) {
      this.own = own;
    }

    @Override
    public IntentJournal.Entry willCreate(Path destination) throws IOException {
      String entry = UUID.randomUUID().toString();
      write(new Path(own, entry + INTENT), destination.toString());
      refuseIfDecided(destination);
      return uploadId -> {
        write(new Path(own, entry + UPLOAD), uploadId);
        refuseIfDecided(destination);
      };
    }

    @Override
    public synchronized void willInline(Path destination) throws IOException {
      if (!noted) {
        note(new Path(own, INLINED));
        noted = true;
      }
    }

    /**
     * In Hive each writer has a journal of its own, and those of two branches of a UNION ALL may
     * have the same attempt's id in two processes.
     */
    private void note(Path note) throws IOException {
      if (fileSystem.exists(note)) {
        return;
      }
      try {
        // HDFS lets the first writer of a file fail when another overwrites it.
        PrivateFiles.create(fileSystem, note, false).close();
      } catch (IOException e) {
        if (!fileSystem.exists(note)) {
          throw e;
        }
      }
    }
  }

  /** Attempt ids come from engines; encoded, they are names, and different ones stay different. */
  private Path directoryOf(String taskAttemptId) {
    return new Path(directory, URLEncoder.encode(taskAttemptId, StandardCharsets.UTF_8));
  }

  private static String attemptOf(Path directory) {
    return URLDecoder.decode(directory.getName(), StandardCharsets.UTF_8);
  }

  private void refuseIfDecided(Path destination) throws IOException {
    if (fileSystem.exists(decided)) {
      throw new IOException(
          ("ZR-3114: The job that writes %s has ended already (see %s); this task attempt came too"
                  + " late and must not write any more.")
              .formatted(destination, decided));
    }
  }

  @Override
  public List<Entry> read(CommittedUploads committed, Workers workers) throws IOException {
    Queue<Path> intents = new ConcurrentLinkedQueue<>();
    Set<Path> uploads = ConcurrentHashMap.newKeySet();
    workers.forEach(
        children(directory),
        attempt -> {
          Queue<Path> itsIntents = new ConcurrentLinkedQueue<>();
          Set<Path> itsUploads = new HashSet<>();
          sortByKind(children(attempt), itsIntents, itsUploads);
          int committedHere = committed.uploadsOf(attemptOf(attempt));
          // Each committed upload has its entry, so that no other one is left then.
          if (itsIntents.size() != committedHere || itsUploads.size() != committedHere) {
            intents.addAll(itsIntents);
            uploads.addAll(itsUploads);
          }
        });
    return JobUploads.without(committed, entries(intents, uploads, workers));
  }

  @Override
  public List<Entry> readAttempt(String taskAttemptId, Workers workers) throws IOException {
    Queue<Path> intents = new ConcurrentLinkedQueue<>();
    Set<Path> uploads = ConcurrentHashMap.newKeySet();
    sortByKind(children(directoryOf(taskAttemptId)), intents, uploads);
    return entries(intents, uploads, workers);
  }

  private static void sortByKind(
      List<Path> files, Collection<Path> intents, Collection<Path> uploads) {
    for (Path file : files) {
      if (file.getName().endsWith(INTENT)) {
        intents.add(file);
      } else if (file.getName().endsWith(UPLOAD)) {
        uploads.add(file);
      }
    }
  }

  private List<Entry> entries(Collection<Path> intents, Set<Path> uploads, Workers workers)
      throws IOException {
    Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    workers.forEach(
        intents,
        intent -> {
          String name = intent.getName();
          Path upload =
              new Path(
                  intent.getParent(), name.substring(0, name.length() - INTENT.length()) + UPLOAD);
          Optional<String> id = uploads.contains(upload) ? readLine(upload) : Optional.empty();
          // A line without its end was not finished, so no request can have followed it.
          readLine(intent)
              .ifPresent(destination -> entries.add(new Entry(new Path(destination), id)));
        });
    return List.copyOf(entries);
  }

  @Override
  public boolean hasInlined(String taskAttemptId) throws IOException {
    return fileSystem.exists(new Path(directoryOf(taskAttemptId), INLINED));
  }

  @Override
  public boolean isEmpty() throws IOException {
    return children(directory).isEmpty();
  }

  @Override
  public void forget() throws IOException {
    fileSystem.delete(directory, true);
  }

  private List<Path> children(Path parent) throws IOException {
    return WorkDirectory.list(fileSystem, parent).stream().map(FileStatus::getPath).toList();
  }

  private void write(Path file, String line) throws IOException {
    try (OutputStream out = PrivateFiles.create(fileSystem, file, false)) {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private Optional<String> readLine(Path file) throws IOException {
    try (InputStream in = fileSystem.open(file)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.endsWith("\n")
          ? Optional.of(text.substring(0, text.length() - 1))
          : Optional.empty();
    } catch (FileNotFoundException e) {
      // Another process sweeps as well, and has found nothing left.
      return Optional.empty();
    }
  }
}
