package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.Subject;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a report says in sentences. */
final class Words {
  private Words() {}

  /** The name for a person of a subject of the suites; most have one name. */
  static String title(String subject) {
    return switch (subject) {
      case "stock-v1", "spark-default" -> "Spark default";
      case "stock-v2" -> "Spark, algorithm 2";
      default ->
          Arrays.stream(Subject.values())
              .filter(each -> each.id().equals(subject))
              .map(Subject::title)
              .findFirst()
              .orElse(subject);
    };
  }

  /** Where, when and with which versions it was measured. */
  static String conditions(Results results) {
    Map<String, String> machine = results.machine();
    return ("%s UTC, up to %d rounds in turns, medians with least and most. Hadoop %s, Hive %s,"
            + " Tez %s, Java %s on %s, %s processors%s; zero-rename %s. %s")
        .formatted(
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT)
                .withZone(ZoneOffset.UTC)
                .format(results.time()),
            results.options().rounds(),
            machine.get("hadoop"),
            machine.get("hive"),
            machine.get("tez"),
            machine.get("java"),
            machine.get("system"),
            machine.get("processors"),
            results.options().endpoint().isPresent() ? "" : ", which also run the S3 server",
            machine.get("zeroRename"),
            model(results.options()) + results.cost().map(cost -> " " + cost.text()).orElse(""));
  }

  /** How slow the server was made. */
  static String model(BenchmarkOptions options) {
    if (options.endpoint().isPresent()) {
      return "Requests go to "
          + options.endpoint().get().url()
          + " through a gateway on this machine, which counts them and adds well below a"
          + " millisecond.";
    }
    return "Where a delay is given, each request waits for that long, a copy by the server takes"
        + " its size at "
        + options.copyRate()
        + " MB/s, and each connection uploads at up to "
        + options.uploadRate()
        + " MB/s. At 0 ms nothing is added.";
  }

  /** Under what conditions the numbers of a suite hold; it stands at its charts. */
  static String conditions(Suite suite, BenchmarkOptions options) {
    return switch (suite) {
      case COMMIT ->
          "The store is in memory and only waits: no network, no server. Manifests of "
              + CommitWork.FILES_PER_TASK
              + " files each are read from local disk, and the log is read, the entry written and its"
              + " end noted as in any commit, so the bound (number of uploads x delay / threads) leaves those"
              + " requests out.";
      case UPLOAD ->
          "%d MB in all, by one stream or by eight, in a JVM of its own with %s. The time includes the completion of the upload, by S3A's close() or by our commit's request. Live memory is the heap after a collection and buffers outside of it. What waits to be sent waits on disk, which is the default of both, or by fs.s3a.fast.upload.buffer=bytebuffer in memory; there zero-rename stays within the default of %s and has the rest on disk."
              .formatted(
                  options.uploadMegabytes(),
                  UploadExperiment.HEAP_LIMIT,
                  CoreKeys.UPLOAD_MEMORY_LIMIT.name());
      case MAPREDUCE ->
          "TxF is tasks times files each. The committers are those that MapReduce would make, called in its order in one JVM, "
              + SimulatedJob.TASKS_AT_ONCE
              + " tasks at once. Staging directories and records are on the local file system, in"
              + " place of HDFS, without the chmod processes that Hadoop starts there. The number behind a name is its threads in job commit; S3A's"
              + " default is 8, ours 64. Tasks do nothing but write. "
              + model(options);
      case HIVE ->
          "Dynamic partitions that exist already, TPC-DS sales of one day each, one file per partition and statement, unless the case's name says otherwise; Hive, Tez in local mode and the metastore in one JVM, scratch on the local file system. Commit + move is what follows the tasks up to the statistics, without the time in which the metastore was at work. "
              + model(options);
      case SPARK ->
          "Partitions that exist already, one file of some 100 KB for each, from four tasks of a Spark in one JVM. In a dynamic overwrite the partitions that have new rows are replaced; S3A's committers cannot do that and are left out there. An overwrite by Spark's own protocols deletes before it writes. "
              + model(options);
      case CHECKPOINT ->
          "%d batches of a streaming query that does nothing else, one after the other: without state, and with a count in four partitions of a state store on files. A DStream has a batch every 0.1 seconds at most, with a count in four partitions, whose checkpoint is written every five batches. The checkpoint of an RDD has %d partitions. On local disk checkpoints are what a shared file system would be at best. "
                  .formatted(CheckpointExperiment.BATCHES, CheckpointExperiment.PARTITIONS)
              + model(options);
    };
  }

  /** Ours beside each other subject of a case, in words. */
  static List<String> comparisons(List<Group> groups, Group ours) {
    List<String> sentences = new ArrayList<>();
    for (Group other : groups) {
      if (other.subject().startsWith("zero-rename")) {
        continue;
      }
      sentences.add(
          "Against %s, %s takes %s in all (%.2f s to %.2f s)%s, and sends %s requests."
              .formatted(
                  other.title(),
                  ours.title(),
                  factor(total(other), total(ours), "of the time"),
                  total(ours),
                  total(other),
                  commit(ours) > 0 && commit(other) > 0
                      ? ", its commit "
                          + factor(commit(other), commit(ours), "of the time")
                          + " (%.2f s to %.2f s)".formatted(commit(ours), commit(other))
                      : "",
                  factor(other.requests().median(), ours.requests().median(), "as many")));
    }
    return sentences;
  }

  private static double total(Group group) {
    return group.seconds(Sample.TOTAL).median();
  }

  private static double commit(Group group) {
    return group.seconds(Sample.COMMIT).median();
  }

  private static String factor(double other, double ours, String of) {
    if (ours <= 0 || other <= 0) {
      return "an unknown part " + of;
    }
    return ours <= other
        ? String.format(Locale.ROOT, "1/%.2f %s", other / ours, of)
        : String.format(Locale.ROOT, "%.2f times %s", ours / other, of.replace("of the", "the"));
  }
}
