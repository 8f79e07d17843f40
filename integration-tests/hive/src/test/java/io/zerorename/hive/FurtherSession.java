package io.zerorename.hive;

import io.zerorename.testing.hive.LocalHive;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One more session of Hive in this JVM, on the metastore and the S3 server of the others. It has a
 * thread of its own, because Hive ties a session to one.
 */
final class FurtherSession implements AutoCloseable {
  private static FurtherSession shared;

  private final ExecutorService thread;
  private final LocalHive hive;

  private FurtherSession(ExecutorService thread, LocalHive hive) {
    this.thread = thread;
    this.hive = hive;
  }

  /** One of this JVM with the committer, which the classes that need no other settings share. */
  static synchronized FurtherSession shared(HiveOnS3 s3) throws Exception {
    if (shared == null) {
      s3.hive().execute("show databases");
      shared = start(s3, Files.createTempDirectory("zerorename-further-"), Map.of());
    }
    return shared;
  }

  /** Starts one with the committer. */
  static FurtherSession start(HiveOnS3 s3, Path directory, Map<String, String> settings)
      throws Exception {
    Map<String, String> all = new HashMap<>(s3.server().hadoopSettingsWithoutSecrets());
    all.put("hive.semantic.analyzer.hook", ZeroRenameHook.class.getName());
    all.put("hive.query.lifetime.hooks", ZeroRenameHook.class.getName());
    all.putAll(settings);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    return new FurtherSession(thread, thread.submit(() -> LocalHive.start(directory, all)).get());
  }

  /** The session, for settings and its console; statements need its thread. */
  LocalHive hive() {
    return hive;
  }

  /** Runs a statement. */
  List<String> execute(String sql) throws Exception {
    return on(() -> hive.execute(sql));
  }

  /** Runs a statement beside whatever else happens. */
  Future<List<String>> begin(String sql) {
    return thread.submit(() -> hive.execute(sql));
  }

  /** Does something on the session's thread. */
  <T> T on(Callable<T> action) throws Exception {
    try {
      return thread.submit(action).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Override
  public void close() throws Exception {
    on(
        () -> {
          hive.close();
          return null;
        });
    thread.shutdown();
  }
}
