package io.zerorename.core.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.VersionedJson.Bodies;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.upload.InlineFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The JSON form of small files whose bytes follow the object. */
public final class InlineJson {
  private InlineJson() {}

  /** Writes the files as a field; their bytes must follow in the same order. */
  static void write(JsonGenerator json, List<InlineFile> files) throws IOException {
    long offset = 0;
    json.writeArrayFieldStart("inlined");
    for (InlineFile file : files) {
      json.writeStartObject();
      json.writeStringField("destination", file.destination().toString());
      json.writeStringField("jobId", file.jobId());
      json.writeStringField("taskAttemptId", file.taskAttemptId());
      json.writeStringField("identity", file.identity());
      json.writeNumberField("offset", offset);
      json.writeNumberField("length", file.length());
      json.writeEndObject();
      offset += file.length();
    }
    json.writeEndArray();
  }

  /** The bytes to follow. */
  public static List<RepeatableBody> bodies(List<InlineFile> files) {
    return files.stream().map(InlineFile::body).toList();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedManifestException where a field is absent, of another type or impossible
   */
  static List<InlineFile> read(JsonNode root, Bodies bodies) throws MalformedManifestException {
    List<InlineFile> files = new ArrayList<>();
    for (JsonNode node : JsonFields.array(root, "inlined")) {
      long offset = JsonFields.number(node, "offset");
      long length = JsonFields.number(node, "length");
      if (offset < 0 || length < 0) {
        throw new MalformedManifestException(
            "it has an impossible file of " + length + " bytes at " + offset, null);
      }
      files.add(
          new InlineFile(
              UploadJson.path(node, "destination"),
              bodies.at(offset, length),
              JsonFields.text(node, "jobId"),
              JsonFields.text(node, "taskAttemptId"),
              JsonFields.text(node, "identity")));
    }
    return files;
  }
}
