package io.zerorename.core.log;

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
import java.util.List;

/** The form of a document of a commit plan: JSON, and then the bytes of small files. */
public final class PlanJson {
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
  public static byte[] write(PlanPart part, ProcessIdentity author) throws IOException {
    return JSON.write(
        json -> {
          ProcessJson.write(json, author);
          writeFields(json, part);
        },
        InlineJson.bodies(part.inlined()));
  }

  /** The process that has proposed it. */
  public static ProcessIdentity readAuthor(byte[] document, String where) throws IOException {
    return JSON.readBodies(document, where, (root, bodies) -> ProcessJson.read(root));
  }

  private static void writeFields(JsonGenerator json, PlanPart part) throws IOException {
    json.writeFieldName("job");
    JobJson.write(json, part.job());
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

  /**
   * @param where it was found, for messages
   */
  public static PlanPart read(byte[] document, String where) throws IOException {
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
        JobJson.read(root.path("job")),
        uploads,
        InlineJson.read(root, bodies),
        replaced,
        PathsJson.read(root, "markers"));
  }

  private static Instant instant(String text) throws MalformedManifestException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new MalformedManifestException("\"" + text + "\" is no time", e);
    }
  }
}
