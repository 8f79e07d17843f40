package io.zerorename.core.document;

import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What a task attempt hands to job commit. In Hive, where each data file has a manifest of its own
 * so that Hive's renames and de-duplication move manifests instead of data, it holds one file.
 *
 * @param uploads that wait to be completed
 * @param inlined small files that wait to be written
 */
public record TaskManifest(
    String jobId, String taskAttemptId, List<PendingUpload> uploads, List<InlineFile> inlined) {
  private static final VersionedJson JSON =
      new VersionedJson("task manifest", 4, "It was damaged after its task had written it.");

  public TaskManifest {
    uploads = List.copyOf(uploads);
    inlined = List.copyOf(inlined);
  }

  public static TaskManifest of(
      String jobId, String taskAttemptId, Collection<? extends OutputFile> files) {
    List<PendingUpload> uploads = new ArrayList<>();
    List<InlineFile> inlined = new ArrayList<>();
    for (OutputFile file : files) {
      if (file instanceof PendingUpload upload) {
        uploads.add(upload);
      } else if (file instanceof InlineFile small) {
        inlined.add(small);
      }
    }
    return new TaskManifest(jobId, taskAttemptId, uploads, inlined);
  }

  public List<OutputFile> files() {
    List<OutputFile> files = new ArrayList<>(uploads);
    files.addAll(inlined);
    return files;
  }

  /** As a document: JSON, and the bytes of small files after it. */
  public byte[] toJson() throws IOException {
    return JSON.write(this);
  }

  /** Writes a file, replacing one of that name. */
  public void write(FileSystem fileSystem, Path file) throws IOException {
    PrivateFiles.write(fileSystem, file, toJson(), true);
  }

  /** Reads a file, as {@link #read(byte[], String)} does a document. */
  public static TaskManifest read(FileSystem fileSystem, Path file) throws IOException {
    try (InputStream in = fileSystem.open(file)) {
      return read(in.readAllBytes(), file.toString());
    }
  }

  /** Reads a document, as {@link VersionedJson#read} does. */
  public static TaskManifest read(byte[] document, String where) throws IOException {
    return JSON.read(document, where, TaskManifest.class);
  }
}
