package io.zerorename.core.commit;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.InlineJson;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.UploadJson;
import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.manifest.VersionedJson.Bodies;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** The form of a document of a commit plan: JSON, and then the bytes of small files. */
final class PlanJson {
  static final int VERSION = 3;

  private static final VersionedJson JSON =
      new VersionedJson(
          "commit plan",
          VERSION,
          "Nothing was changed by reading it; keep it, it says what the job has to do.");

  private PlanJson() {}

  /**
   * @param author the process that proposes it
   */
  static byte[] write(PlanPart part, ProcessIdentity author) throws IOException {
    return JSON.write(
        json -> {
          DecisionJson.write(json, author);
          writeFields(json, part);
        },
        InlineJson.bodies(part.inlined()));
  }

  /** The process that has proposed it. */
  static ProcessIdentity readAuthor(byte[] document, String where) throws IOException {
    return JSON.readBodies(document, where, (root, bodies) -> DecisionJson.process(root));
  }

  private static void writeFields(JsonGenerator json, PlanPart part) throws IOException {
    json.writeFieldName("job");
    write(json, part.job());
    json.writeArrayFieldStart("uploads");
    for (PendingUpload upload : part.uploads()) {
      UploadJson.write(json, upload);
    }
    json.writeEndArray();
    InlineJson.write(json, part.inlined());
    json.writeArrayFieldStart("replaced");
    for (OldObject object : part.replaced()) {
      json.writeStartObject();
      json.writeStringField("bucket", object.bucket().toString());
      json.writeStringField("key", object.key());
      json.writeStringField("etag", object.etag());
      json.writeStringField("lastModified", object.lastModified().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    PathsJson.write(json, "markers", part.markers());
  }

  private static void write(JsonGenerator json, OutputJob job) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", job.id());
    json.writeStringField("description", job.description());
    json.writeStringField("destination", job.destination().toString());
    PathsJson.write(json, "roots", job.roots());
    json.writeBooleanField("plainNames", job.plainNames());
    PathsJson.write(json, "records", job.records().stream().toList());
    json.writeObjectFieldStart("attributes");
    for (Map.Entry<String, String> attribute : job.attributes().entrySet()) {
      json.writeStringField(attribute.getKey(), attribute.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  /**
   * @param where it was found, for messages
   */
  static PlanPart read(byte[] document, String where) throws IOException {
    return JSON.readBodies(document, where, PlanJson::parse);
  }

  private static PlanPart parse(JsonNode root, Bodies bodies) throws MalformedManifestException {
    List<PendingUpload> uploads = new ArrayList<>();
    for (JsonNode upload : JsonFields.array(root, "uploads")) {
      uploads.add(UploadJson.read(upload));
    }
    List<OldObject> replaced = new ArrayList<>();
    for (JsonNode object : JsonFields.array(root, "replaced")) {
      replaced.add(
          new OldObject(
              UploadJson.path(object, "bucket"),
              JsonFields.text(object, "key"),
              JsonFields.text(object, "etag"),
              instant(JsonFields.text(object, "lastModified"))));
    }
    return new PlanPart(
        job(root.path("job")),
        uploads,
        InlineJson.read(root, bodies),
        replaced,
        PathsJson.read(root, "markers"));
  }

  private static OutputJob job(JsonNode node) throws MalformedManifestException {
    Map<String, String> attributes = new HashMap<>();
    JsonNode object = node.path("attributes");
    for (String name : (Iterable<String>) object::fieldNames) {
      attributes.put(name, JsonFields.text(object, name));
    }
    return new OutputJob(
        JsonFields.text(node, "id"),
        JsonFields.text(node, "description"),
        UploadJson.path(node, "destination"),
        PathsJson.read(node, "roots"),
        JsonFields.flag(node, "plainNames"),
        records(node),
        attributes);
  }

  /** The local file system, where a single machine may keep records, has no authority. */
  private static Optional<Path> records(JsonNode node) throws MalformedManifestException {
    Optional<Path> records = Optional.empty();
    for (JsonNode path : JsonFields.array(node, "records")) {
      String text = JsonFields.text(path, "path");
      try {
        records = Optional.of(new Path(text));
      } catch (IllegalArgumentException e) {
        throw new MalformedManifestException("\"" + text + "\" is no path", e);
      }
    }
    return records;
  }

  private static Instant instant(String text) throws MalformedManifestException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new MalformedManifestException("\"" + text + "\" is no time", e);
    }
  }
}
