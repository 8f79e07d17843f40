package io.zerorename.core.s3a;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.parallel.RetryingStore;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.S3AEncryptionMethods;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.s3a.S3AUtils;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Reaches buckets through S3A's own clients and request settings, so that everything that the user
 * has set under {@code fs.s3a.} and {@code fs.s3a.bucket.} holds without further keys. Requests are
 * repeated as {@link RetryingStore} says.
 *
 * <p>A path is S3A's when its file system is an {@link S3AFileSystem}, whatever its scheme is
 * called: some distributions map {@code s3} and {@code s3n} to it. File systems come from Hadoop's
 * cache and stay open, save where the user has switched that cache off.
 */
public final class S3AObjectStores implements ObjectStores {
  private final Configuration configuration;
  private final AuditLabels labels;
  private final Map<String, ObjectStore> stores = new HashMap<>();
  private final List<FileSystem> owned = new ArrayList<>();
  private final Map<RequestType, Long> counts = new ConcurrentHashMap<>();

  /** Stores for the query or job that the configuration names, or for none. */
  public S3AObjectStores(Configuration configuration) {
    this(configuration, AuditLabels.of(configuration));
  }

  /**
   * Stores with labels of the caller's.
   *
   * @param labels go with each request into the bucket's access log
   */
  public S3AObjectStores(Configuration configuration, AuditLabels labels) {
    this.configuration = configuration;
    this.labels = labels;
  }

  @Override
  public synchronized ObjectStore forPath(Path path) throws IOException {
    URI uri = path.toUri();
    if (uri.getScheme() == null || uri.getAuthority() == null) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4110: Cannot find the bucket of %s: the path has no scheme or no bucket. Give it in"
                  + " full, such as s3a://bucket/directory")
              .formatted(path));
    }
    rejectLoginDetails(uri);
    rejectDirectoryBucket(path);
    String root = uri.getScheme() + "://" + uri.getAuthority();
    ObjectStore store = stores.get(root);
    if (store == null) {
      store = open(URI.create(root + "/"));
      stores.put(root, store);
    }
    return store;
  }

  @Override
  public Map<RequestType, Long> requests() {
    return new TreeMap<>(counts);
  }

  /** Closes the file systems that Hadoop's cache does not keep, after which no store works. */
  @Override
  public synchronized void close() throws IOException {
    Failures failures = new Failures();
    owned.forEach(fileSystem -> failures.of(fileSystem::close));
    owned.clear();
    stores.clear();
    failures.throwAny();
  }

  /** S3A refuses them too, and messages name paths in full. */
  private static void rejectLoginDetails(URI uri) throws StoreException {
    int end = uri.getAuthority().lastIndexOf('@');
    if (end >= 0) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4111: Cannot use a path in the bucket %s: there are login details before the"
                  + " bucket's name, which S3A does not take any more. Put them into the settings"
                  + " fs.s3a.access.key and fs.s3a.secret.key, best in a credential store, and"
                  + " change the key, as paths are logged")
              .formatted(uri.getAuthority().substring(end + 1)));
    }
  }

  /** Its listings have no order, and S3 says so nowhere but in the name. */
  private static void rejectDirectoryBucket(Path path) throws StoreException {
    if (ObjectKeys.isInDirectoryBucket(path)) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4220: Cannot write to %s: %s is a directory bucket (S3 Express One Zone), whose"
                  + " listings have no order, and the commit log needs one. Nothing was written there."
                  + " Use a general purpose bucket, or another committer for this one")
              .formatted(path, ObjectKeys.bucketOf(path)));
    }
  }

  private ObjectStore open(URI root) throws IOException {
    try {
      requireS3a(root);
      rejectClientSideEncryption(root);
      S3AFileSystem fileSystem = (S3AFileSystem) FileSystem.get(root, configuration);
      if (configuration.getBoolean("fs." + root.getScheme() + ".impl.disable.cache", false)) {
        owned.add(fileSystem);
      }
      return new RetryingStore(
          new S3AObjectStore(
              fileSystem,
              fileSystem.getS3AInternals().getAmazonS3Client("commits by multipart upload"),
              labels,
              counts),
          Duration.ofSeconds(CoreKeys.RETRY_TIME.from(configuration, root.getAuthority())));
    } catch (StoreException e) {
      throw e;
    } catch (IOException
        | UncheckedIOException
        | IllegalArgumentException
        | SdkException
        | LinkageError e) {
      throw new StoreException(
          S3AFailures.isAboutCredentials(e) ? Kind.NO_CREDENTIALS : Kind.REJECTED,
          ("ZR-4114: Cannot open %s: %s. Check the settings fs.s3a.* and fs.s3a.bucket.%s.*, first"
                  + " those of the endpoint and the credentials provider, and that hadoop-aws and its"
                  + " SDK are on the class path")
              .formatted(root, e, root.getAuthority()),
          e);
    }
  }

  private void requireS3a(URI root) throws IOException {
    Class<?> type = FileSystem.getFileSystemClass(root.getScheme(), configuration);
    if (!S3AFileSystem.class.isAssignableFrom(type)) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4112: Cannot use %s as an object store: its file system is %s. Use a path on S3A, or"
                  + " set fs.%s.impl to %s")
              .formatted(root, type.getName(), root.getScheme(), S3AFileSystem.class.getName()));
    }
  }

  /**
   * The last part of a client-side encrypted upload must be known as such, and the committer's
   * never is. Asked before the file system is opened, because that needs the encryption library.
   */
  private void rejectClientSideEncryption(URI root) throws IOException {
    S3AEncryptionMethods method =
        S3AUtils.getEncryptionAlgorithm(root.getAuthority(), configuration);
    if (method.getMethod().startsWith("CSE")) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4113: Cannot write to %s by multipart upload: fs.s3a.encryption.algorithm is %s, and"
                  + " client-side encryption is not supported. Use server-side encryption (SSE-KMS,"
                  + " DSSE-KMS, SSE-C or AES256) or another committer for this bucket")
              .formatted(root, method.getMethod()));
    }
  }
}
