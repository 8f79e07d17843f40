package io.zerorename.core.job;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How each task attempt of a job has ended: published, with its manifest, or aborted. The first
 * record wins. So an attempt that the engine has aborted cannot publish any more, and no process
 * aborts the uploads of one that has published.
 */
public final class AttemptRecords {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptRecords.class);
  private static final String DIRECTORY = "attempts";
  private static final String SUFFIX = ".json";

  /** In place of a manifest. Not empty: over HTTP, Ceph refuses what has no content. */
  private static final byte[] ABORTED = "aborted".getBytes(StandardCharsets.UTF_8);

  private final RecordStore records;
  private final Set<String> published = ConcurrentHashMap.newKeySet();
  private List<String> listed;

  AttemptRecords(RecordStore records) {
    this.records = records;
  }

  /**
   * Hands an attempt's uploads to the job's commit.
   *
   * @throws IOException where the attempt was aborted before; its uploads are then no use
   */
  public void publish(TaskManifest manifest) throws IOException {
    byte[] document = manifest.toJson();
    String name = nameOf(manifest.taskAttemptId());
    if (!records.putIfAbsent(name, document)
        // An answer to a first try may have been lost.
        && !Arrays.equals(document, records.get(name).orElse(null))) {
      throw new IOException(
          ("ZR-3101: Task attempt %s cannot commit: it was aborted, or has committed other files,"
                  + " before (see %s). Another attempt does its work.")
              .formatted(manifest.taskAttemptId(), records.locate(name)));
    }
  }

  /**
   * Aborts an attempt, in any process: it cannot publish any more. One that has published keeps its
   * uploads; the job's commit chooses among those and aborts the others. Its own process aborts the
   * uploads of one that has not. What it does not abort is left to the end of the job: another
   * attempt of the task may upload to the same keys.
   *
   * @return whether it is aborted, by this call or before; {@code false}: it has published
   */
  public boolean abort(String taskAttemptId) throws IOException {
    String name = nameOf(taskAttemptId);
    return records.putIfAbsent(name, ABORTED) || read(name).isEmpty();
  }

  /** What an attempt has published, if it has. */
  public Optional<TaskManifest> of(String taskAttemptId) throws IOException {
    return read(nameOf(taskAttemptId));
  }

  /**
   * Passes on, as far as it can be read, what attempts have published, also several of one task.
   *
   * @param committed attempts whose files the job has committed, all of each; they are not read
   * @param action may be called by several threads at once
   */
  void forEachOtherPublished(
      Workers workers, Set<String> committed, ConsumerRaisingIOE<TaskManifest> action)
      throws IOException {
    workers.forEach(
        listed(),
        id -> {
          if (committed.contains(id)) {
            published.add(id);
            return;
          }
          Optional<TaskManifest> manifest;
          try {
            manifest = of(id);
          } catch (MalformedDocumentException e) {
            LOG.info("The record of {} is damaged, and does not say what it has uploaded", id, e);
            return;
          }
          if (manifest.isPresent()) {
            published.add(id);
            action.accept(manifest.get());
          }
        });
  }

  /** The attempts that had ended, published or aborted, when this object first listed them. */
  public synchronized List<String> listed() throws IOException {
    if (listed == null) {
      listed = ids();
    }
    return listed;
  }

  /** The attempts that have ended by now, published or aborted. */
  public List<String> ids() throws IOException {
    return records.namesIn(DIRECTORY).stream()
        .map(name -> name.substring(0, name.length() - SUFFIX.length()))
        .map(name -> URLDecoder.decode(name, StandardCharsets.UTF_8))
        .toList();
  }

  /** Deletes what was read. An attempt that was aborted must not publish after the job either. */
  void forget() throws IOException {
    records.delete(published.stream().map(AttemptRecords::nameOf).toList());
  }

  private Optional<TaskManifest> read(String name) throws IOException {
    Optional<byte[]> document = records.get(name).filter(it -> !Arrays.equals(it, ABORTED));
    return document.isEmpty()
        ? Optional.empty()
        : Optional.of(TaskManifest.read(document.get(), records.locate(name)));
  }

  private static String nameOf(String taskAttemptId) {
    return DIRECTORY + "/" + URLEncoder.encode(taskAttemptId, StandardCharsets.UTF_8) + SUFFIX;
  }
}
