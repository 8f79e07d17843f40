package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
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
          2,
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
    json.writeArrayFieldStart("chunks");
    for (Document chunk : entry.chunks()) {
      json.writeStartObject();
      json.writeStringField("name", chunk.name());
      json.writeStringField("sha256", chunk.sha256());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (entry.embedded().isPresent()) {
      json.writeObjectFieldStart("embedded");
      ChunkJson.writeFields(json, entry.embedded().get());
      json.writeEndObject();
    }
  }

  /**
   * Reads an entry.
   *
   * @param number under which it was found
   * @param where it was found, for messages
   * @throws MalformedManifestException where it is no entry of that number, or of another version
   */
  static LogEntry read(byte[] document, long number, String where) throws IOException {
    return JSON.read(document, where, root -> parse(root, number));
  }

  private static LogEntry parse(JsonNode root, long number) throws MalformedManifestException {
    if (JsonFields.number(root, "number") != number) {
      throw new MalformedManifestException(
          "it says that its number is " + JsonFields.number(root, "number"), null);
    }
    OutputJob job = JobJson.read(root.path("job"));
    Optional<PlanChunk> embedded =
        root.has("embedded")
            ? Optional.of(ChunkJson.readFields(root.path("embedded"), job))
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
          chunks(root),
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

  private static List<Document> chunks(JsonNode root) throws MalformedManifestException {
    List<Document> chunks = new ArrayList<>();
    for (JsonNode chunk : JsonFields.array(root, "chunks")) {
      chunks.add(new Document(JsonFields.text(chunk, "name"), JsonFields.text(chunk, "sha256")));
    }
    return chunks;
  }
}
