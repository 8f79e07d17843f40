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
import org.apache.hadoop.fs.Path;

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
    ProcessJson.write(json, entry.executor());
    json.writeFieldName("job");
    JobJson.write(json, entry.job());
    if (entry.scope().isPresent()) {
      PathsJson.write(json, "scope", entry.scope().get());
    }
    PathsJson.write(json, "replaces", entry.replaces());
    json.writeArrayFieldStart("follows");
    for (long number : entry.follows()) {
      json.writeNumber(number);
    }
    json.writeEndArray();
    json.writeNumberField("target", entry.target());
    json.writeNumberField("lowest", entry.lowest());
    if (entry.windowEnd().isPresent()) {
      json.writeNumberField("windowEndMillis", entry.windowEnd().get().toEpochMilli());
    }
    json.writeArrayFieldStart("parts");
    for (Proposal.Part part : entry.parts()) {
      json.writeStartObject();
      json.writeStringField("name", part.name());
      json.writeStringField("sha256", part.sha256());
      json.writeEndObject();
    }
    json.writeEndArray();
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
    Optional<List<Path>> scope =
        root.has("scope") ? Optional.of(PathsJson.read(root, "scope")) : Optional.empty();
    Optional<Instant> windowEnd =
        root.has("windowEndMillis")
            ? Optional.of(Instant.ofEpochMilli(JsonFields.number(root, "windowEndMillis")))
            : Optional.empty();
    try {
      return new LogEntry(
          number,
          EntryKind.valueOf(JsonFields.text(root, "kind")),
          JsonFields.text(root, "write"),
          JobJson.read(root.path("job")),
          ProcessJson.read(root),
          scope,
          PathsJson.read(root, "replaces"),
          follows(root, number),
          JsonFields.number(root, "target"),
          JsonFields.number(root, "lowest"),
          windowEnd,
          parts(root));
    } catch (IllegalArgumentException e) {
      throw new MalformedManifestException(e.getMessage(), e);
    }
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

  private static List<Proposal.Part> parts(JsonNode root) throws MalformedManifestException {
    List<Proposal.Part> parts = new ArrayList<>();
    for (JsonNode part : JsonFields.array(root, "parts")) {
      parts.add(new Proposal.Part(JsonFields.text(part, "name"), JsonFields.text(part, "sha256")));
    }
    return parts;
  }
}
