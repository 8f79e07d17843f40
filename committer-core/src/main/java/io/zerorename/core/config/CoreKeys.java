package io.zerorename.core.config;

import java.util.List;

/** The keys that are not of one engine alone; each says itself what it is for. */
public final class CoreKeys {
  private static final long MIB = 1L << 20;

  public static final ConfigKey<Integer> COMMIT_THREADS =
      ConfigKey.wholeNumber(
              "zerorename.commit.threads",
              64,
              1,
              1024,
              "threads",
              "How many requests one job commit or abort sends at once, at most. It sends fewer"
                  + " where S3 answers that they are too many.")
          .perBucket();

  public static final ConfigKey<Integer> RETRY_TIME =
      ConfigKey.wholeNumber(
              "zerorename.retry.time",
              120,
              0,
              3_600,
              "seconds",
              "For how long a request is repeated that S3 does not answer, or answers with a"
                  + " passing error such as 503. S3A's client does not repeat it. 0 switches that"
                  + " off.")
          .perBucket();

  public static final ConfigKey<Integer> PROCESS_THREADS =
      ConfigKey.wholeNumber(
          "zerorename.process.threads",
          512,
          0,
          16_384,
          "threads",
          "How many threads all commits, aborts and uploads of merged files of the process share,"
              + " besides the one that each of them has. None waits for these threads.");

  public static final ConfigKey<Integer> UPLOAD_THREADS =
      ConfigKey.wholeNumber(
              "zerorename.upload.threads",
              8,
              1,
              256,
              "threads",
              "How many parts a task attempt uploads at once, over all its open files. In Hive it"
                  + " is the number of each open file, and also how many files are closed at once.")
          .perBucket();

  public static final ConfigKey<Long> UPLOAD_MEMORY_LIMIT =
      ConfigKey.size(
          "zerorename.upload.memory.limit",
          128 * MIB,
          "128M",
          0,
          (1L << 20) * MIB,
          "How much unsent data of all open files of the process may wait in memory; the rest waits"
              + " on local disk. Files longer than 512K wait on disk in any case, unless"
              + " fs.s3a.fast.upload.buffer is array or bytebuffer.");

  public static final ConfigKey<Long> UPLOAD_TAIL_SIZE =
      ConfigKey.size(
              "zerorename.upload.tail.size",
              MIB,
              "1M",
              0,
              64 * MIB,
              "How much of the last part of a closed file is kept in memory, for writers that read"
                  + " their own footer (Parquet in Hive).")
          .perBucket();

  public static final ConfigKey<String> WORK_DIR =
      ConfigKey.textWithDerivedDefault(
          "zerorename.work.dir",
          "Hive: hive.exec.scratchdir; MapReduce and Tez: a directory named after the user in"
              + " yarn.app.mapreduce.am.staging-dir",
          "a directory on a file system with atomic rename; for MapReduce and Tez also on S3",
          "In its directory zerorename-<user>, to which only that user may write, are the records"
              + " of running jobs: which uploads a job began, and how its task attempts ended.");

  public static final ConfigKey<Long> INLINE_MAX_BYTES =
      ConfigKey.size(
              "zerorename.inline.max.bytes",
              null,
              "512K, or 0 where the bucket is set to be encrypted with customer or KMS keys",
              0,
              8 * MIB,
              "Hive: a file up to this size is not uploaded by its task. Its bytes travel to the"
                  + " commit on the cluster file system, and the commit uploads them before it"
                  + " decides. 0 switches that off.")
          .perBucket();

  public static final ConfigKey<String> COMMIT_DIR =
      ConfigKey.textWithDerivedDefault(
              "zerorename.commit.dir",
              "the directory _zerorename beside the destination",
              "a directory on S3, outside of all tables and outputs",
              "The commit log of each destination: which jobs were committed, in which order, and"
                  + " what is left to do for each. Everybody who writes to a table must set the"
                  + " same.")
          .perBucket();

  public static final ConfigKey<Integer> PROGRESS_INTERVAL =
      ConfigKey.wholeNumber(
          "zerorename.progress.interval",
          5,
          0,
          3_600,
          "seconds",
          "How often a longer commit reports its progress, on Hive's console and in the log. 0"
              + " switches that off.");

  public static final ConfigKey<Integer> RECOVERY_PATIENCE =
      ConfigKey.wholeNumber(
              "zerorename.recovery.patience",
              300,
              0,
              86_400,
              "seconds",
              "How old an open commit must be before another process completes it automatically. 0:"
                  + " it may do so at once. `recover` does not wait.")
          .perBucket();

  /** Entries stay so long at least: what may yet be decided or repeated relies on it. */
  public static final int FEWEST_LOG_DAYS = 7;

  public static final ConfigKey<Integer> LOG_DAYS =
      ConfigKey.wholeNumber(
              "zerorename.log.days",
              FEWEST_LOG_DAYS,
              FEWEST_LOG_DAYS,
              3_650,
              "days",
              "How long the commit log keeps entries that have ended. So long `status` shows them,"
                  + " and a repeated run is noticed. The first job of a day deletes older ones:"
                  + " everybody who writes to a table must set the same.")
          .perBucket();

  public static final ConfigKey<String> RUN_ID =
      new ConfigKey<>(
          "zerorename.run.id",
          null,
          "none: a repeated job writes again",
          "any text; one that names a variable which is not set counts as none",
          "any text",
          "Names one run of a scheduler, the same at each repetition: of all jobs with this id that"
              + " add files to one destination, one is committed, as long as its entry is in the"
              + " commit log (zerorename.log.days). The others complete it, write nothing, and"
              + " succeed. No effect on overwrites.",
          text -> text,
          false);

  public static final ConfigKey<Conflict> CONFLICT =
      ConfigKey.oneOf(
              "zerorename.conflict",
              Conflict.ORDER,
              "What becomes of an overwrite if another job or program has changed what it replaces"
                  + " since it began: it replaces that too, so that the later in the commit log"
                  + " wins, or it fails before anything is deleted.")
          .perBucket();

  private CoreKeys() {}

  /** All of them, in the order in which a reference should show them. */
  public static List<ConfigKey<?>> all() {
    return List.of(
        WORK_DIR,
        COMMIT_DIR,
        COMMIT_THREADS,
        PROCESS_THREADS,
        RETRY_TIME,
        UPLOAD_THREADS,
        UPLOAD_MEMORY_LIMIT,
        UPLOAD_TAIL_SIZE,
        INLINE_MAX_BYTES,
        PROGRESS_INTERVAL,
        RECOVERY_PATIENCE,
        LOG_DAYS,
        RUN_ID,
        CONFLICT);
  }
}
