package io.zerorename.benchmark;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import java.util.List;
import java.util.Map;

/**
 * What a user of MapReduce can set to have a job's output committed to S3; nothing else differs.
 *
 * @param requestsPerFile roughly, for the estimate
 */
record CommitterSubject(String name, Map<String, String> settings, double requestsPerFile) {
  private static final String FACTORY = "mapreduce.outputcommitter.factory.scheme.s3a";
  private static final String NAME = "fs.s3a.committer.name";
  private static final String ALGORITHM = "mapreduce.fileoutputcommitter.algorithm.version";
  private static final String S3A_THREADS = "fs.s3a.committer.threads";
  private static final String IN_MEMORY = "fs.s3a.committer.magic.track.commits.in.memory.enabled";

  /**
   * All of them; some with the threads of S3A's default, and with as many as its users choose for
   * large jobs.
   */
  static final List<CommitterSubject> ALL =
      List.of(
          new CommitterSubject("fileoutput-v1", Map.of(NAME, "file", ALGORITHM, "1"), 15),
          new CommitterSubject("fileoutput-v2", Map.of(NAME, "file", ALGORITHM, "2"), 13),
          new CommitterSubject("directory", Map.of(NAME, "directory"), 3),
          magic("magic-", false, 8, 7),
          magic("magic-", false, 32, 7),
          magic("magic-memory-", true, 8, 3),
          magic("magic-memory-", true, 32, 3),
          ours(8),
          ours(32));

  CommitterSubject {
    settings = Map.copyOf(settings);
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
        requests);
  }

  private static CommitterSubject ours(int threads) {
    return new CommitterSubject(
        "zero-rename-" + threads,
        Map.of(
            FACTORY,
            MagicCommitterFactory.class.getName(),
            CoreKeys.COMMIT_THREADS.name(),
            String.valueOf(threads)),
        3);
  }

  /** Whether files go to other names when they are complete. */
  boolean renames() {
    return settings.containsKey(ALGORITHM);
  }
}
