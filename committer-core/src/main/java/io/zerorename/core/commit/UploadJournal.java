package io.zerorename.core.commit;

import io.zerorename.core.upload.IntentJournal;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A journal of two small files per upload: {@code <entry>.intent} with the destination, closed
 * before the upload is created, and {@code <entry>.upload} with its id, written after.
 *
 * <p>It also fences. A writer looks for the job's decision after it has written an intent, and
 * again after it has written the id; whoever sweeps decides first and reads the journal then. So
 * either the sweep sees the writer's entry or the writer sees the decision, and one of them aborts
 * the upload. What remains is a writer that dies while its Create is under way: the sweep may look
 * before the store has the upload; it then keeps the entry.
 */
final class UploadJournal implements IntentJournal {
  private static final String INTENT = ".intent";
  private static final String UPLOAD = ".upload";

  private final FileSystem fileSystem;
  private final Path directory;
  private final Path decision;

  /**
   * An upload as the journal knows it.
   *
   * @param uploadId empty where the writer ended before it could say
   */
  record Entry(Path destination, Optional<String> uploadId) {}

  UploadJournal(FileSystem fileSystem, Path directory, Path decision) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.decision = decision;
  }

  @Override
  public IntentJournal.Entry willCreate(Path destination) throws IOException {
    String entry = UUID.randomUUID().toString();
    write(new Path(directory, entry + INTENT), destination.toString());
    refuseIfDecided(destination);
    return uploadId -> {
      write(new Path(directory, entry + UPLOAD), uploadId);
      refuseIfDecided(destination);
    };
  }

  private void refuseIfDecided(Path destination) throws IOException {
    if (fileSystem.exists(decision)) {
      throw new IOException(
          "The job that writes "
              + destination
              + " has ended already (see "
              + decision
              + "); this task attempt came too late and must not write any more.");
    }
  }

  /**
   * Every upload that was announced and is not known.
   *
   * @param known ids of uploads that need not be returned
   */
  List<Entry> read(Set<String> known, Workers workers) throws IOException {
    Set<String> names = new HashSet<>();
    try {
      for (FileStatus file : fileSystem.listStatus(directory)) {
        names.add(file.getPath().getName());
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    List<String> intents = names.stream().filter(name -> name.endsWith(INTENT)).toList();
    Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    workers.forEach(
        intents,
        intent -> {
          String upload = intent.substring(0, intent.length() - INTENT.length()) + UPLOAD;
          Optional<String> id = names.contains(upload) ? readLine(upload) : Optional.empty();
          if (id.isEmpty() || !known.contains(id.get())) {
            // A line without its end was not finished, so no request can have followed it.
            readLine(intent)
                .ifPresent(destination -> entries.add(new Entry(new Path(destination), id)));
          }
        });
    return List.copyOf(entries);
  }

  /** Whether no upload was ever announced. */
  boolean isEmpty() throws IOException {
    try {
      return fileSystem.listStatus(directory).length == 0;
    } catch (FileNotFoundException e) {
      return true;
    }
  }

  private void write(Path file, String line) throws IOException {
    try (OutputStream out = fileSystem.create(file, false)) {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private Optional<String> readLine(String name) throws IOException {
    try (InputStream in = fileSystem.open(new Path(directory, name))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.endsWith("\n")
          ? Optional.of(text.substring(0, text.length() - 1))
          : Optional.empty();
    }
  }
}
