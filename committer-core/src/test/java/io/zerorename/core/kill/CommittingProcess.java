package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that is killed. It commits one job after the other to a table, through S3A, and says
 * so; it does not stop by itself.
 */
final class CommittingProcess {
  /** What it says when it waits for table, work directory and first job, in one line each. */
  static final String READY = "ready";

  private static final Logger LOG = LoggerFactory.getLogger(CommittingProcess.class);

  private CommittingProcess() {}

  /** A Complete at this server takes at most as long, also where it has to wait for a processor. */
  static final CommitSettings SETTINGS =
      new CommitSettings(2, 512, Duration.ofSeconds(10), Clock::sleep);

  static final String BEGUN = "begun";
  static final String COMMITTED = "committed";

  /** What it says of a job, with the time. */
  private static String line(String event, ScriptedJob job) {
    return "%s %s %d".formatted(event, job.id(), System.currentTimeMillis());
  }

  /** When each job came so far, in milliseconds, by their ids. */
  static Map<String, Long> times(String event, List<String> output) {
    Map<String, Long> times = new LinkedHashMap<>();
    for (String line : output) {
      String[] words = line.split(" ", -1);
      if (words[0].equals(event)) {
        times.put(words[1], Long.valueOf(words[2]));
      }
    }
    return times;
  }

  /**
   * Starts it.
   *
   * @param settings of Hadoop as {@code key=value}
   * @param heap the option of its JVM that limits it
   */
  static ChildJvm start(List<String> settings, String heap, java.nio.file.Path log)
      throws IOException {
    List<String> options = new ArrayList<>(ChildJvm.UNVERIFIED);
    options.add(heap);
    return ChildJvm.start(
        ChildJvm.Command.of(CommittingProcess.class).withOptions(options).withArguments(settings),
        log);
  }

  /** Takes a path in the bucket of the table, and settings of Hadoop as {@code key=value}. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Logs go there.
    System.setOut(System.err);
    Configuration conf = configuration(arguments);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    S3AObjectStores stores = new S3AObjectStores(conf);
    stores.forPath(new Path("s3a://" + KilledCommitTest.BUCKET + "/"));
    out.println(READY);
    String table = in.readLine();
    String workDir = in.readLine();
    String first = in.readLine();
    if (first == null) {
      return;
    }
    endWith(in);
    TableJobs jobs = new TableJobs(stores, new Path(table), new Path(workDir), SETTINGS);
    for (int number = Integer.parseInt(first); true; number++) {
      ScriptedJob job = new ScriptedJob(number);
      out.println(line(BEGUN, job));
      try {
        jobs.run(job);
        out.println(line(COMMITTED, job));
      } catch (CommitFailedException e) {
        LOG.warn("Nothing of {} is visible", job, e);
      }
    }
  }

  /**
   * @param settings as {@code key=value}
   */
  static Configuration configuration(String... settings) {
    Configuration conf = new Configuration();
    for (String setting : settings) {
      String[] pair = setting.split("=", 2);
      conf.set(pair[0], pair[1]);
    }
    return conf;
  }

  /** Ends this process where the one that started it, and holds its input, has ended. */
  static void endWith(BufferedReader in) {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (in.readLine() != null) {
                  // Nothing more is said.
                }
              } catch (IOException e) {
                LOG.warn("The input cannot be read; so its other end is gone", e);
              }
              Runtime.getRuntime().halt(1);
            },
            "end-of-input");
    watch.setDaemon(true);
    watch.start();
  }
}
