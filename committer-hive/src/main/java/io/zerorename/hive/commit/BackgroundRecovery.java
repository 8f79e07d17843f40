package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.hive.metastore.InsertTarget;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resumes the commits that other processes have left at the target of a statement, after that
 * statement has ended, so that neither it nor its client waits. It has its own client of the
 * metastore, because the session's may be closed at any time.
 *
 * @param log the directory of the target's log
 * @param conf of the session, of which a copy is made
 * @param console of the session
 */
record BackgroundRecovery(InsertTarget target, Path log, HiveConf conf, PrintStream console) {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundRecovery.class);

  /** For 100,000 files on a slow store, at a table that no other process may ever write to. */
  private static final Duration EXIT_OF_A_SHORT_PROCESS = Duration.ofMinutes(10);

  BackgroundRecovery {
    requireNonNull(target, "target");
    requireNonNull(log, "log");
    conf = new HiveConf(conf);
    requireNonNull(console, "console");
  }

  /**
   * Begins, unless another one works on the same log, or has just done so. A HiveServer2 exits
   * soon, because it is started again; {@code hive -e} may be all that ever writes to the table.
   */
  void begin() {
    SessionState session = SessionState.get();
    Duration longestExit =
        session == null || session.isHiveServerQuery()
            ? BackgroundWork.BRIEFLY
            : EXIT_OF_A_SHORT_PROCESS;
    BackgroundWork.begin("recovery " + log, longestExit, () -> run(longestExit));
  }

  private void run(Duration longestExit) throws IOException, HiveException {
    if (longestExit.equals(EXIT_OF_A_SHORT_PROCESS)) {
      say(
          List.of(
              ("ZR-5201: earlier commits to %s have not ended. Those that were interrupted are"
                      + " completed behind this statement; the exit of this process waits for that,"
                      + " %s minutes at most")
                  .formatted(target.name(), longestExit.toMinutes())));
    }
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      say(
          new TableRecovery(Hive.get(conf), target, stores, conf)
              .run(log, it -> !(it instanceof Recovered.UnderWay)));
    } catch (IOException | HiveException | RuntimeException e) {
      LOG.warn("ZR-5202: Cannot resume the interrupted commits in {}", log, e);
      say(
          List.of(
              "interrupted commits of %s cannot be resumed now: %s"
                  .formatted(
                      target.name(), Optional.ofNullable(e.getMessage()).orElseGet(e::toString))));
    } finally {
      Hive.closeCurrent();
    }
  }

  /** The client may have gone, so that the messages are also logged. */
  private void say(List<String> messages) {
    for (String message : messages) {
      LOG.info("zero-rename: {}", message);
      console.println("zero-rename: " + message);
    }
  }
}
