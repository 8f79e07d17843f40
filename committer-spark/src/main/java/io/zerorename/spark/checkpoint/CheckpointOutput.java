package io.zerorename.spark.checkpoint;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one file of a checkpoint. {@link #close} makes it visible: a file of at most one part by
 * one PUT, another by completing its multipart upload. {@link #cancel} leaves nothing. Nor does a
 * close that fails, unless it was interrupted or the store does not answer any more: then the file
 * may appear later. A cancel while another thread closes is too late.
 */
public final class CheckpointOutput extends OutputStream {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointOutput.class);

  private final Path path;
  private final boolean overwrite;
  private final ObjectStore store;
  private final ConditionalWrites conditions;
  private final MultipartUploads uploads;
  private final UploadStream stream;
  private boolean ended;

  /**
   * @param put whether a file of at most one part is sent by one PUT
   */
  CheckpointOutput(
      Path path, boolean overwrite, boolean put, S3AObjectStores stores, Configuration conf)
      throws IOException {
    this.path = requireNonNull(path, "path");
    this.overwrite = overwrite;
    this.store = stores.forPath(path);
    this.conditions = new ConditionalWrites(store, conf);
    if (!overwrite) {
      conditions.requireOfPuts(path.getParent());
    }
    UploadSettings settings = UploadSettings.from(conf, ObjectKeys.bucketOf(path));
    long most = put ? settings.partSize() : 0;
    this.uploads =
        new MultipartUploads(
            stores,
            writer -> {},
            UUID.randomUUID().toString(),
            path.getName(),
            settings.with(new InlineSettings(most, most, new AtomicLong())));
    try {
      this.stream = uploads.open(path);
    } catch (IOException | RuntimeException e) {
      uploads.close();
      throw e;
    }
  }

  /** Whether it becomes visible as a file. */
  public boolean isOf(Path file) {
    return path.equals(file);
  }

  @Override
  public void write(int b) throws IOException {
    stream.write(b);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    stream.write(bytes, offset, count);
  }

  /**
   * Ends the writing and waits until all but the last request is done, so that the file can be made
   * visible later. After {@link #close} or {@link #cancel} it does nothing.
   */
  public synchronized void finish() throws IOException {
    if (!ended) {
      stream.close();
      stream.file();
    }
  }

  /**
   * Makes the file visible; after an earlier close or a {@link #cancel} it does nothing.
   *
   * @throws FileAlreadyExistsException if another writer's file is there, and must not be replaced
   */
  @Override
  public synchronized void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    try {
      stream.close();
      publish(stream.file());
    } catch (IOException | RuntimeException e) {
      Failures failures = new Failures();
      failures.of(stream::abort);
      failures.of(uploads::close);
      failures.first().ifPresent(e::addSuppressed);
      throw e;
    }
    try {
      uploads.close();
    } catch (IOException e) {
      LOG.warn("ZR-7123: {} is written; its local buffers could not be removed", path, e);
    }
  }

  /** Leaves nothing of the file; after {@link #close} it does nothing. */
  public synchronized void cancel() {
    if (ended) {
      return;
    }
    ended = true;
    Failures failures = new Failures();
    failures.of(stream::abort);
    failures.of(uploads::close);
    failures
        .first()
        .ifPresent(
            e ->
                LOG.warn(
                    "ZR-7118: The upload of {} is cancelled and could not be aborted. Nothing of it"
                        + " is visible; the bucket's lifecycle rule for incomplete uploads removes"
                        + " it",
                    path,
                    e));
  }

  /**
   * A failure is resolved by the identity of the object that is there: the store and its client
   * repeat requests, and a refusal may be of the second after the first has had its effect.
   */
  private void publish(OutputFile file) throws IOException {
    try {
      send(file);
    } catch (StoreException e) {
      if (!isThere(file, e)) {
        throw e;
      }
    }
  }

  private void send(OutputFile file) throws IOException {
    if (file instanceof InlineFile small) {
      Map<String, String> metadata = Map.of(OutputFile.IDENTITY_METADATA, small.identity());
      if (overwrite) {
        store.putObject(small.key(), small.body(), metadata);
      } else {
        store.putObjectIfAbsent(small.key(), small.body(), metadata);
      }
    } else if (file instanceof PendingUpload upload) {
      if (overwrite) {
        store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
      } else {
        conditions.requireOfCompletes(path.getParent());
        store.completeUploadIfAbsent(upload.key(), upload.uploadId(), upload.parts());
      }
    }
  }

  /**
   * Whether the file is visible, in spite of a failure.
   *
   * @throws FileAlreadyExistsException if another one is, which must not be replaced
   */
  private boolean isThere(OutputFile file, StoreException failure) throws IOException {
    Optional<ObjectHead> found;
    try {
      found = store.headObject(file.key());
    } catch (IOException e) {
      failure.addSuppressed(e);
      throw failure;
    }
    if (found.map(file::isIdentityOf).orElse(false)) {
      return true;
    }
    if (found.isPresent() && !overwrite) {
      FileAlreadyExistsException exists =
          new FileAlreadyExistsException(
              ("ZR-7119: %s is not written: another writer has written it before. If two"
                      + " streaming queries use this checkpoint location, stop one of them, or give"
                      + " it a location of its own.")
                  .formatted(path));
      exists.initCause(failure);
      throw exists;
    }
    return false;
  }
}
