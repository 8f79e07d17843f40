package io.zerorename.testing.tez;

import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.tez.common.TezUtils;
import org.apache.tez.mapreduce.output.MROutput;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** The uploads that a store has of one task's files in a sink. */
final class TaskUploads {
  private final S3AFileSystem fileSystem;
  private final Path directory;
  private final String task;
  private final Set<String> before;

  private TaskUploads(S3AFileSystem fileSystem, Path directory, int task) throws IOException {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.task = String.format("-r-%05d", task);
    this.before = ids();
  }

  /** Before an attempt writes. */
  static TaskUploads before(MROutput sink, int task) throws IOException {
    Configuration conf = TezUtils.createConfFromUserPayload(sink.getContext().getUserPayload());
    Path directory = new Path(conf.get(FileOutputFormat.OUTDIR));
    return new TaskUploads((S3AFileSystem) directory.getFileSystem(conf), directory, task);
  }

  /** Until the store has one more. A file's close does not wait for that. */
  void awaitNew() throws Exception {
    Await.until("an upload of " + task, () -> !before.containsAll(ids()));
  }

  private Set<String> ids() throws IOException {
    Set<String> ids = new HashSet<>();
    RemoteIterator<MultipartUpload> uploads =
        fileSystem.listUploads(fileSystem.pathToKey(directory) + "/");
    while (uploads.hasNext()) {
      MultipartUpload upload = uploads.next();
      if (upload.key().contains(task)) {
        ids.add(upload.uploadId());
      }
    }
    return ids;
  }
}
