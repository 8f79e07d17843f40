package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that is killed. It commits one job after the other to a table, through S3A, and says
 * so; it does not stop by itself.
 */
final class CommittingProcess {
  /** What it says when it waits for a line with its work directory. */
  static final String READY = "ready";

  static final String BEGUN = "begun ";
  static final String COMMITTED = "committed ";

  private static final Logger LOG = LoggerFactory.getLogger(CommittingProcess.class);

  private CommittingProcess() {}

  /**
   * Starts it.
   *
   * @param settings of Hadoop as {@code key=value}
   */
  static ChildJvm start(List<String> settings, Path log) throws IOException {
    List<String> options = new ArrayList<>(ChildJvm.UNVERIFIED);
    options.add("-Xmx128m");
    return ChildJvm.start(
        ChildJvm.Command.of(CommittingProcess.class).withOptions(options).withArguments(settings),
        log);
  }

  /** Takes settings of Hadoop as {@code key=value}. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Logs go there.
    System.setOut(System.err);
    Configuration conf = new Configuration();
    for (String setting : arguments) {
      String[] pair = setting.split("=", 2);
      conf.set(pair[0], pair[1]);
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    S3AObjectStores stores = new S3AObjectStores(conf);
    stores.forPath(TestJob.TABLE);
    out.println(READY);
    String workDir = in.readLine();
    if (workDir == null) {
      return;
    }
    endWith(in);
    for (int number = 1; true; number++) {
      ScriptedJob job = new ScriptedJob(number);
      out.println(BEGUN + job.id());
      try {
        job.run(stores, Path.of(workDir));
        out.println(COMMITTED + job.id());
      } catch (CommitFailedException e) {
        LOG.warn("Nothing of {} is visible", job, e);
      }
    }
  }

  /** Ends this process where the one that started it, and holds its input, has ended. */
  private static void endWith(BufferedReader in) {
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
