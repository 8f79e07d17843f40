package io.zerorename.core.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes and reads task manifests as files of JSON. */
public final class ManifestFiles {
  /** The version that this code writes, and the newest that it reads. */
  public static final int VERSION = 1;

  private static final JsonFactory JSON = new JsonFactory();
  private static final ObjectReader TREES =
      new ObjectMapper()
          .reader()
          .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ManifestFiles() {}

  /** Writes a manifest, replacing a file of that name. */
  public static void write(FileSystem fileSystem, Path file, TaskManifest manifest)
      throws IOException {
    try (OutputStream out = fileSystem.create(file, true);
        JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeNumberField("version", VERSION);
      json.writeStringField("jobId", manifest.jobId());
      json.writeStringField("taskAttemptId", manifest.taskAttemptId());
      json.writeArrayFieldStart("uploads");
      for (PendingUpload upload : manifest.uploads()) {
        UploadJson.write(json, upload);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  /**
   * Reads a manifest.
   *
   * @throws MalformedManifestException where the file is truncated, of a newer version, or not a
   *     manifest at all
   */
  public static TaskManifest read(FileSystem fileSystem, Path file) throws IOException {
    try (InputStream in = fileSystem.open(file)) {
      return parse(TREES.readTree(in));
    } catch (JsonProcessingException e) {
      throw malformed(file, "it is truncated or no JSON", e);
    } catch (MalformedManifestException e) {
      throw malformed(file, e.getMessage(), e);
    }
  }

  private static TaskManifest parse(JsonNode root) throws MalformedManifestException {
    if (root == null || !root.isObject()) {
      throw new MalformedManifestException("it is empty or no JSON object", null);
    }
    long version = JsonFields.number(root, "version");
    if (version != VERSION) {
      throw new MalformedManifestException(
          "it has version "
              + version
              + " and this committer reads version "
              + VERSION
              + "; the same release must be on all machines",
          null);
    }
    List<PendingUpload> uploads = new ArrayList<>();
    for (JsonNode upload : JsonFields.array(root, "uploads")) {
      uploads.add(UploadJson.read(upload));
    }
    return new TaskManifest(
        JsonFields.text(root, "jobId"), JsonFields.text(root, "taskAttemptId"), uploads);
  }

  private static MalformedManifestException malformed(Path file, String why, Exception cause) {
    return new MalformedManifestException(
        "Cannot read the task manifest "
            + file
            + ": "
            + why
            + ". Nothing was committed. Run the job again.",
        cause);
  }
}
