package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.UploadJson;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The JSON form of a chunk of a plan. */
final class ChunkJson {
  private static final VersionedJson JSON =
      new VersionedJson(
          "chunk of a plan",
          2,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  private ChunkJson() {}

  /** A document of its own. */
  static byte[] write(PlanChunk chunk) throws IOException {
    return JSON.write(
        json -> {
          json.writeStringField("jobId", chunk.job().id());
          writeFields(json, chunk);
        });
  }

  static void writeFields(JsonGenerator json, PlanChunk chunk) throws IOException {
    UploadJson.write(json, chunk.uploads());
    json.writeArrayFieldStart("replaced");
    for (OldObject object : chunk.replaced()) {
      json.writeStartObject();
      json.writeStringField("bucket", object.bucket().toString());
      json.writeStringField("key", object.key());
      json.writeStringField("etag", object.etag());
      json.writeStringField("lastModified", object.lastModified().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    PathsJson.write(json, "markers", chunk.markers());
  }

  /**
   * Reads a document.
   *
   * @param where it was found, for messages
   */
  static PlanChunk read(byte[] document, String where, OutputJob job) throws IOException {
    return JSON.read(
        document,
        where,
        root -> {
          String jobId = JsonFields.text(root, "jobId");
          if (!jobId.equals(job.id())) {
            throw new MalformedManifestException("it is of job " + jobId, null);
          }
          return readFields(root, job);
        });
  }

  static PlanChunk readFields(JsonNode root, OutputJob job) throws MalformedManifestException {
    List<OldObject> replaced = new ArrayList<>();
    for (JsonNode object : JsonFields.array(root, "replaced")) {
      replaced.add(
          new OldObject(
              UploadJson.path(object, "bucket"),
              JsonFields.text(object, "key"),
              JsonFields.text(object, "etag"),
              instant(JsonFields.text(object, "lastModified"))));
    }
    return new PlanChunk(job, UploadJson.read(root), replaced, PathsJson.read(root, "markers"));
  }

  private static Instant instant(String text) throws MalformedManifestException {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new MalformedManifestException("\"" + text + "\" is no time", e);
    }
  }
}
