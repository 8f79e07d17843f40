package io.zerorename.benchmark;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * What a user of MapReduce can set to have a job's output committed to S3.
 *
 * @param requestsPerFile roughly, for the estimate
 * @param inParallel how many of them are under way at once, roughly
 */
record CommitterSubject(
    String name, Map<String, String> settings, double requestsPerFile, double inParallel) {
  private static final String FACTORY = "mapreduce.outputcommitter.factory.scheme.s3a";
  private static final String NAME = "fs.s3a.committer.name";
  private static final String ALGORITHM = "mapreduce.fileoutputcommitter.algorithm.version";
  private static final String S3A_THREADS = "fs.s3a.committer.threads";
  private static final String IN_MEMORY = "fs.s3a.committer.magic.track.commits.in.memory.enabled";

  static final String OURS = "zero-rename-";

  /** Ours, but no file is small: shows what it brings that bytes travel to the commit. */
  static final String OURS_UPLOADING = "zero-rename-uploading-";

  static final String MAGIC = "magic-";
  static final String MAGIC_IN_MEMORY = "magic-memory-";
  static final String DIRECTORY = "directory";
  static final String FILE_OUTPUT = "fileoutput-";

  /** Threads by S3A's default, and as many as its users choose for large jobs. */
  static final List<Integer> THREADS = List.of(8, 32);

  /** All of them; those of one idea at the same numbers of threads. */
  static final List<CommitterSubject> ALL =
      List.of(
          fileOutput(1, 15, 1.8),
          fileOutput(2, 13, 7),
          new CommitterSubject(DIRECTORY, Map.of(NAME, "directory"), 3, 8),
          magic(MAGIC, false, 8, 7),
          magic(MAGIC, false, 32, 7),
          magic(MAGIC_IN_MEMORY, true, 8, 3),
          magic(MAGIC_IN_MEMORY, true, 32, 3),
          ours(OURS, 8, Map.of()),
          ours(OURS, 32, Map.of()),
          ours(OURS_UPLOADING, 32, Map.of(CoreKeys.INLINE_MAX_BYTES.name(), "0")));

  CommitterSubject {
    settings = Map.copyOf(settings);
  }

  private static CommitterSubject fileOutput(int version, double requests, double inParallel) {
    return new CommitterSubject(
        FILE_OUTPUT + "v" + version,
        Map.of(NAME, "file", ALGORITHM, String.valueOf(version)),
        requests,
        inParallel);
  }

  private static CommitterSubject magic(
      String name, boolean inMemory, int threads, double requests) {
    return new CommitterSubject(
        name + threads,
        Map.of(
            NAME,
            "magic",
            IN_MEMORY,
            String.valueOf(inMemory),
            S3A_THREADS,
            String.valueOf(threads)),
        requests,
        8);
  }

  private static CommitterSubject ours(String name, int threads, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put(FACTORY, MagicCommitterFactory.class.getName());
    settings.put(CoreKeys.COMMIT_THREADS.name(), String.valueOf(threads));
    return new CommitterSubject(name + threads, settings, 3, 8);
  }

  /** Makes the next job commit this way; nothing else differs between subjects. */
  void configure(Configuration conf) {
    settings.forEach(conf::set);
  }
}
