package io.zerorename.benchmark;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.Closeable;
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

  /** Writes to a stream. */
  @FunctionalInterface
  interface Writer {
    void write(OutputStream out) throws IOException;
  }

  /** What a task has open. */
  interface Destination extends Closeable {
    /** Writes an object and makes it visible. May be called from several threads. */
    void write(Path file, Writer writer) throws IOException;
  }

  /**
   * What all streams of a task share.
   *
   * @param directory on S3A
   * @param conf with the settings that lead to the server
   */
  Destination open(Path directory, Configuration conf) throws IOException {
    Configuration buffering = new Configuration(conf);
    buffering.set("fs.s3a.fast.upload.buffer", buffer);
    return switch (this) {
      case S3A_DISK, S3A_BYTEBUFFER -> new S3A(directory, buffering);
      case ZERO_RENAME, ZERO_RENAME_BYTEBUFFER -> new Ours(directory, buffering);
    };
  }

  private static final class S3A implements Destination {
    private final FileSystem fileSystem;

    private S3A(Path directory, Configuration conf) throws IOException {
      fileSystem = directory.getFileSystem(conf);
    }

    @Override
    public void write(Path file, Writer writer) throws IOException {
      try (OutputStream out = fileSystem.create(file, true)) {
        writer.write(out);
      }
    }

    @Override
    public void close() throws IOException {
      fileSystem.close();
    }
  }

  private static final class Ours implements Destination {

    private final S3AObjectStores stores;
    private final MultipartUploads uploads;

    private Ours(Path directory, Configuration conf) throws IOException {
      stores = new S3AObjectStores(conf);
      stores.forPath(directory);
      uploads =
          new MultipartUploads(
              stores,
              () -> {},
              "job",
              "attempt",
              UploadSettings.from(conf, directory.toUri().getHost()));
    }

    @Override
    public void write(Path file, Writer writer) throws IOException {
      try (UploadStream stream = uploads.open(file)) {
        writer.write(stream);
        stream.close();
        PendingUpload pending = (PendingUpload) stream.file();
        stores.forPath(file).completeUpload(pending.key(), pending.uploadId(), pending.parts());
      }
    }

    @Override
    public void close() throws IOException {
      uploads.close();
      stores.close();
    }
  }
}
