package io.zerorename.core.document;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes and reads task manifests as files of JSON, with the bytes of inlined files after it. */
public final class ManifestFiles {
  /** The version that this code writes, and the only one that it reads. */
  public static final int VERSION = 3;

  private static final VersionedJson JSON =
      new VersionedJson("task manifest", VERSION, "It was damaged after its task had written it.");

  private ManifestFiles() {}

  /** Writes a manifest, replacing a file of that name. */
  public static void write(FileSystem fileSystem, Path file, TaskManifest manifest)
      throws IOException {
    PrivateFiles.write(fileSystem, file, document(manifest), true);
  }

  /** A manifest as the bytes of its file. */
  static byte[] document(TaskManifest manifest) throws IOException {
    return JSON.write(manifest);
  }

  /**
   * Reads a manifest.
   *
   * @throws MalformedDocumentException where the file is truncated, of another version, or not a
   *     manifest at all
   */
  public static TaskManifest read(FileSystem fileSystem, Path file) throws IOException {
    try (InputStream in = fileSystem.open(file)) {
      return JSON.read(in.readAllBytes(), file.toString(), TaskManifest.class);
    }
  }
}
