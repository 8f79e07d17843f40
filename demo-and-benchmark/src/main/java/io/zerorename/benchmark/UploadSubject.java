package io.zerorename.benchmark;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The streams that are compared: S3A's and ours, each with data that waits on disk, which is the
 * default of both, or in memory.
 */
enum UploadSubject {
  S3A_DISK("s3a-disk", "disk"),
  S3A_BYTEBUFFER("s3a-bytebuffer", "bytebuffer"),
  ZERO_RENAME("zero-rename", "disk"),
  ZERO_RENAME_BYTEBUFFER("zero-rename-bytebuffer", "bytebuffer");

  private final String title;
  private final String buffer;

  UploadSubject(String title, String buffer) {
    this.title = title;
    this.buffer = buffer;
  }

  String title() {
    return title;
  }

  /** What a task has open, to the end of its JVM. May be called from several threads. */
  @FunctionalInterface
  interface Destination {
    /** Writes a file, and makes the object visible. */
    void write(Path file, Content content) throws IOException;
  }

  /** What is written. */
  @FunctionalInterface
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * What all streams of a task share.
   *
   * @param directory on S3A
   * @param conf with the settings that lead to the server
   */
  Destination open(Path directory, Configuration conf) throws IOException {
    conf.set("fs.s3a.fast.upload.buffer", buffer);
    return this == S3A_DISK || this == S3A_BYTEBUFFER
        ? s3a(directory.getFileSystem(conf))
        : ours(directory, conf);
  }

  private static Destination s3a(FileSystem fileSystem) {
    return (file, content) -> {
      try (OutputStream out = fileSystem.create(file, true)) {
        content.writeTo(out);
      }
    };
  }

  private static Destination ours(Path directory, Configuration conf) throws IOException {
    S3AObjectStores stores = new S3AObjectStores(conf);
    UploadSettings settings = UploadSettings.from(conf, directory.toUri().getHost());
    MultipartUploads uploads =
        new MultipartUploads(stores, writer -> {}, "job", "attempt", settings);
    return (file, content) -> {
      UploadStream stream = uploads.open(file);
      try (stream) {
        content.writeTo(stream);
      }
      PendingUpload pending = (PendingUpload) stream.file();
      stores.forPath(file).completeUpload(pending.key(), pending.uploadId(), pending.parts());
    };
  }
}
