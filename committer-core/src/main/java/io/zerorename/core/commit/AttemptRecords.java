package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * How each task attempt of a job has ended: published, with its manifest, or given up. Whoever says
 * so first wins. So, as long as the job has not ended, an attempt that the engine has given up
 * cannot publish any more, and one that has published can be chosen by the job's commit without
 * fear that somebody aborts its uploads.
 */
public final class AttemptRecords {
  private static final String DIRECTORY = "attempts";
  private static final String SUFFIX = ".json";
  private static final VersionedJson JSON =
      new VersionedJson(
          "record of a task attempt", 1, "It was damaged after its task had written it.");

  private final RecordStore records;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private List<TaskManifest> published;

  AttemptRecords(RecordStore records) {
    this.records = requireNonNull(records, "records");
  }

  /**
   * Hands an attempt's uploads to the job's commit.
   *
   * @throws IOException where the attempt was given up before; its uploads are then no use
   */
  public void publish(TaskManifest manifest) throws IOException {
    byte[] document =
        JSON.write(
            json -> {
              json.writeBooleanField("published", true);
              ManifestFiles.writeFields(json, manifest);
            });
    String name = nameOf(manifest.taskAttemptId());
    if (!records.putIfAbsent(name, document) && !read(name).filter(manifest::equals).isPresent()) {
      throw new IOException(
          "Task attempt "
              + manifest.taskAttemptId()
              + " cannot commit: it was given up, or has committed other files, before (see "
              + records.locate(name)
              + "). Another attempt does its work.");
    }
  }

  /**
   * Gives an attempt up, unless it has published.
   *
   * @return whether it is given up, by this call or before; {@code false}: it has published
   */
  public boolean giveUp(String taskAttemptId) throws IOException {
    byte[] document = JSON.write(json -> json.writeBooleanField("published", false));
    String name = nameOf(taskAttemptId);
    return records.putIfAbsent(name, document) || read(name).isEmpty();
  }

  /** What an attempt has published, if it has. */
  public Optional<TaskManifest> of(String taskAttemptId) throws IOException {
    return read(nameOf(taskAttemptId));
  }

  /**
   * What all attempts have published, also several of one task. Read once by this object.
   *
   * @param workers to read with
   */
  public synchronized List<TaskManifest> published(Workers workers) throws IOException {
    if (published == null) {
      Queue<TaskManifest> manifests = new ConcurrentLinkedQueue<>();
      Collection<String> names =
          records.list(DIRECTORY).stream().map(RecordStore.Entry::name).toList();
      workers.forEach(names, name -> read(name).ifPresent(manifests::add));
      seen.addAll(names);
      published = List.copyOf(manifests);
    }
    return published;
  }

  /** The attempts that have ended, published or given up. */
  public List<String> ids() throws IOException {
    return records.list(DIRECTORY).stream()
        .map(RecordStore.Entry::name)
        .map(name -> name.substring(DIRECTORY.length() + 1, name.length() - SUFFIX.length()))
        .map(name -> URLDecoder.decode(name, StandardCharsets.UTF_8))
        .toList();
  }

  /** Deletes the records that {@link #published} has read. */
  void forget() throws IOException {
    if (!seen.isEmpty()) {
      records.delete(seen);
    }
  }

  private Optional<TaskManifest> read(String name) throws IOException {
    Optional<byte[]> document = records.get(name);
    return document.isEmpty()
        ? Optional.empty()
        : JSON.read(document.get(), records.locate(name), AttemptRecords::parse);
  }

  private static Optional<TaskManifest> parse(JsonNode root) throws MalformedManifestException {
    return JsonFields.flag(root, "published")
        ? Optional.of(ManifestFiles.parse(root))
        : Optional.empty();
  }

  private static String nameOf(String taskAttemptId) {
    return DIRECTORY + "/" + URLEncoder.encode(taskAttemptId, StandardCharsets.UTF_8) + SUFFIX;
  }
}
