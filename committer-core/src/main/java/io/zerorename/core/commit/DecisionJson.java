package io.zerorename.core.commit;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.UploadJson;
import io.zerorename.core.manifest.VersionedJson;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** The JSON form of a decision. */
final class DecisionJson {
  static final int VERSION = 1;

  private static final VersionedJson JSON =
      new VersionedJson(
          "decision",
          VERSION,
          "Nothing was changed by reading it; keep the file, it says what the job has to do.");

  private DecisionJson() {}

  static byte[] write(Decision decision) throws IOException {
    return JSON.write(json -> writeFields(json, decision));
  }

  private static void writeFields(JsonGenerator json, Decision decision) throws IOException {
    json.writeStringField("outcome", decision.outcome().name());
    if (decision.plan().isPresent()) {
      json.writeFieldName("plan");
      write(json, decision.plan().get());
    }
  }

  private static void write(JsonGenerator json, CommitPlan plan) throws IOException {
    json.writeStartObject();
    json.writeStringField("jobId", plan.jobId());
    json.writeStringField("description", plan.description());
    json.writeArrayFieldStart("uploads");
    for (PendingUpload upload : plan.uploads()) {
      UploadJson.write(json, upload);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("replaced");
    for (OldObject object : plan.replaced()) {
      json.writeStartObject();
      json.writeStringField("bucket", object.bucket().toString());
      json.writeStringField("key", object.key());
      json.writeStringField("etag", object.etag());
      json.writeStringField("lastModified", object.lastModified().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("markers");
    for (Path directory : plan.markers()) {
      json.writeStartObject();
      json.writeStringField("path", directory.toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /**
   * @param where it was found, for messages
   */
  static Decision read(byte[] document, String where) throws IOException {
    return JSON.read(document, where, DecisionJson::parse);
  }

  private static Decision parse(JsonNode root) throws MalformedManifestException {
    String outcome = JsonFields.text(root, "outcome");
    return switch (outcome) {
      case "COMMIT" -> Decision.commit(plan(root.path("plan")));
      case "ABORT" -> Decision.abort();
      default -> throw new MalformedManifestException("its outcome is \"" + outcome + "\"", null);
    };
  }

  private static CommitPlan plan(JsonNode node) throws MalformedManifestException {
    List<PendingUpload> uploads = new ArrayList<>();
    for (JsonNode upload : JsonFields.array(node, "uploads")) {
      uploads.add(UploadJson.read(upload));
    }
    List<OldObject> replaced = new ArrayList<>();
    for (JsonNode object : JsonFields.array(node, "replaced")) {
      replaced.add(
          new OldObject(
              UploadJson.path(object, "bucket"),
              JsonFields.text(object, "key"),
              JsonFields.text(object, "etag"),
              instant(JsonFields.text(object, "lastModified"))));
    }
    List<Path> markers = new ArrayList<>();
    for (JsonNode directory : JsonFields.array(node, "markers")) {
      markers.add(UploadJson.path(directory, "path"));
    }
    return new CommitPlan(
        JsonFields.text(node, "jobId"),
        JsonFields.text(node, "description"),
        uploads,
        replaced,
        markers);
  }

  private static Instant instant(String text) throws MalformedManifestException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new MalformedManifestException("\"" + text + "\" is no time", e);
    }
  }
}
