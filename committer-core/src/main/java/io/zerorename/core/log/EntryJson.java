package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The JSON form of an entry. */
final class EntryJson {
  private static final VersionedJson JSON =
      new VersionedJson(
          "entry of the commit log",
          1,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  private EntryJson() {}

  static byte[] write(LogEntry entry) throws IOException {
    return JSON.write(json -> writeFields(json, entry));
  }

  private static void writeFields(JsonGenerator json, LogEntry entry) throws IOException {
    json.writeNumberField("number", entry.number());
    json.writeStringField("kind", entry.kind().name());
    json.writeStringField("write", entry.writeId());
    json.writeStringField("host", entry.executor().host());
    json.writeNumberField("pid", entry.executor().pid());
    json.writeNumberField("startedSeconds", entry.executor().started().getEpochSecond());
    json.writeFieldName("job");
    JobJson.write(json, entry.job());
    PathsJson.write(json, "scope", entry.scope());
    PathsJson.write(json, "replaces", entry.replaces());
    json.writeArrayFieldStart("follows");
    for (long number : entry.follows()) {
      json.writeNumber(number);
    }
    json.writeEndArray();
    json.writeNumberField("target", entry.target());
    json.writeNumberField("lowest", entry.lowest());
    if (entry.leaseEnd().isPresent()) {
      json.writeNumberField("windowEndMillis", entry.leaseEnd().get().toEpochMilli());
    }
    json.writeArrayFieldStart("chunks");
    for (ChunkDocuments chunk : entry.chunks()) {
      json.writeStartObject();
      write(json, "plan", chunk.plan());
      write(json, "bytes", chunk.bytes());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (entry.embedded().isPresent()) {
      json.writeObjectFieldStart("embedded");
      ChunkJson.writeFields(json, entry.embedded().get());
      json.writeEndObject();
    }
  }

  private static void write(JsonGenerator json, String field, Optional<Document> document)
      throws IOException {
    if (document.isPresent()) {
      json.writeObjectFieldStart(field);
      json.writeStringField("name", document.get().name());
      json.writeStringField("sha256", document.get().sha256());
      json.writeEndObject();
    }
  }

  /**
   * Reads an entry.
   *
   * @param number under which it was found
   * @param records where the contents of its small files are
   * @param where it was found, for messages
   * @throws MalformedManifestException where it is no entry of that number, or of another version
   */
  static LogEntry read(byte[] document, long number, RecordStore records, String where)
      throws IOException {
    return JSON.read(document, where, root -> parse(root, number, records));
  }

  private static LogEntry parse(JsonNode root, long number, RecordStore records)
      throws MalformedManifestException {
    if (JsonFields.number(root, "number") != number) {
      throw new MalformedManifestException(
          "it says that its number is " + JsonFields.number(root, "number"), null);
    }
    Optional<Instant> leaseEnd =
        root.has("windowEndMillis")
            ? Optional.of(Instant.ofEpochMilli(JsonFields.number(root, "windowEndMillis")))
            : Optional.empty();
    List<ChunkDocuments> chunks = chunks(root);
    OutputJob job = JobJson.read(root.path("job"));
    Optional<PlanChunk> embedded =
        root.has("embedded")
            ? Optional.of(
                ChunkJson.readFields(
                    root.path("embedded"),
                    job,
                    ChunkBytes.of(chunks.get(chunks.size() - 1), records)))
            : Optional.empty();
    try {
      return new LogEntry(
          number,
          EntryKind.valueOf(JsonFields.text(root, "kind")),
          JsonFields.text(root, "write"),
          job,
          executor(root),
          PathsJson.read(root, "scope"),
          PathsJson.read(root, "replaces"),
          follows(root, number),
          JsonFields.number(root, "target"),
          JsonFields.number(root, "lowest"),
          leaseEnd,
          chunks,
          embedded);
    } catch (IllegalArgumentException e) {
      throw new MalformedManifestException(e.getMessage(), e);
    }
  }

  private static ProcessIdentity executor(JsonNode root) throws MalformedManifestException {
    return new ProcessIdentity(
        JsonFields.text(root, "host"),
        JsonFields.number(root, "pid"),
        Instant.ofEpochSecond(JsonFields.number(root, "startedSeconds")));
  }

  private static SortedSet<Long> follows(JsonNode root, long number)
      throws MalformedManifestException {
    SortedSet<Long> follows = new TreeSet<>();
    for (JsonNode followed : JsonFields.array(root, "follows")) {
      long earlier = followed.asLong();
      if (earlier < 1 || earlier >= number) {
        throw new MalformedManifestException("it follows " + followed + ", no earlier entry", null);
      }
      follows.add(earlier);
    }
    return follows;
  }

  private static List<ChunkDocuments> chunks(JsonNode root) throws MalformedManifestException {
    List<ChunkDocuments> chunks = new ArrayList<>();
    for (JsonNode chunk : JsonFields.array(root, "chunks")) {
      chunks.add(new ChunkDocuments(document(chunk, "plan"), document(chunk, "bytes")));
    }
    for (int i = 0; i < chunks.size(); i++) {
      boolean isEmbedded = i == chunks.size() - 1 && root.has("embedded");
      if (chunks.get(i).plan().isPresent() == isEmbedded) {
        throw new MalformedManifestException("its chunk " + i + " is not in one place", null);
      }
    }
    if (chunks.isEmpty() && root.has("embedded")) {
      throw new MalformedManifestException("its plan has no chunk", null);
    }
    return chunks;
  }

  private static Optional<Document> document(JsonNode chunk, String field)
      throws MalformedManifestException {
    JsonNode document = chunk.path(field);
    return document.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new Document(JsonFields.text(document, "name"), JsonFields.text(document, "sha256")));
  }
}
