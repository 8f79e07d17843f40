package io.zerorename.benchmark;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.FilterOutputStream;
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
    /** A stream whose end makes an object visible. */
    OutputStream create(Path file) throws IOException;
  }

  /**
   * What all streams of a task share.
   *
   * @param directory on S3A
   * @param conf with the settings that lead to the server
   */
  Destination open(Path directory, Configuration conf) throws IOException {
    conf.set("fs.s3a.fast.upload.buffer", buffer);
    return switch (this) {
      case S3A_DISK, S3A_BYTEBUFFER -> {
        FileSystem fileSystem = directory.getFileSystem(conf);
        yield file -> fileSystem.create(file, true);
      }
      case ZERO_RENAME, ZERO_RENAME_BYTEBUFFER -> ours(directory, conf);
    };
  }

  private static Destination ours(Path directory, Configuration conf) throws IOException {
    S3AObjectStores stores = new S3AObjectStores(conf);
    ObjectStore store = stores.forPath(directory);
    MultipartUploads uploads =
        new MultipartUploads(
            stores,
            writer -> {},
            "job",
            "attempt",
            UploadSettings.from(conf, directory.toUri().getHost()));
    return file -> {
      UploadStream stream = uploads.open(file);
      return new FilterOutputStream(stream) {
        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
          out.write(bytes, offset, count);
        }

        @Override
        public void close() throws IOException {
          out.close();
          PendingUpload pending = (PendingUpload) stream.file();
          store.completeUpload(pending.key(), pending.uploadId(), pending.parts());
        }
      };
    };
  }
}
