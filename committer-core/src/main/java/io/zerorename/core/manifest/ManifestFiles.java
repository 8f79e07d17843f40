package io.zerorename.core.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.VersionedJson.Bodies;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes and reads task manifests as files of JSON, with the bytes of inlined files after it. */
public final class ManifestFiles {
  /** The version that this code writes, and the only one that it reads. */
  public static final int VERSION = 2;

  private static final VersionedJson JSON =
      new VersionedJson("task manifest", VERSION, "It was damaged after its task had written it.");

  private ManifestFiles() {}

  /** Writes a manifest, replacing a file of that name. */
  public static void write(FileSystem fileSystem, Path file, TaskManifest manifest)
      throws IOException {
    JSON.write(
        fileSystem,
        file,
        json -> writeFields(json, manifest),
        InlineJson.bodies(manifest.inlined()));
  }

  /** A manifest as the bytes of its file. */
  public static byte[] document(TaskManifest manifest) throws IOException {
    return JSON.write(json -> writeFields(json, manifest), InlineJson.bodies(manifest.inlined()));
  }

  /**
   * The fields of a manifest, for documents that hold one among others, and are followed by the
   * bytes of its inlined files.
   */
  public static void writeFields(JsonGenerator json, TaskManifest manifest) throws IOException {
    json.writeStringField("jobId", manifest.jobId());
    json.writeStringField("taskAttemptId", manifest.taskAttemptId());
    UploadJson.write(json, manifest.uploads());
    InlineJson.write(json, manifest.inlined());
  }

  /**
   * Reads a manifest.
   *
   * @throws MalformedManifestException where the file is truncated, of another version, or not a
   *     manifest at all
   */
  public static TaskManifest read(FileSystem fileSystem, Path file) throws IOException {
    return JSON.readBodies(fileSystem, file, ManifestFiles::parse);
  }

  /** Reads what {@link #writeFields} wrote. */
  public static TaskManifest parse(JsonNode root, Bodies bodies) throws MalformedManifestException {
    return new TaskManifest(
        JsonFields.text(root, "jobId"),
        JsonFields.text(root, "taskAttemptId"),
        UploadJson.read(root),
        InlineJson.read(root, bodies));
  }
}
