package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells how far a commit is that takes long, so that a person does not wait for nothing and an
 * engine knows it alive. A quick one is over before there is anything to tell.
 *
 * @param interval between two messages, and before the first; zero for never
 * @param listener gets each message, in the thread that has called {@link JobCommit#run}
 */
public record CommitProgress(Duration interval, Consumer<String> listener) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitProgress.class);

  public static final CommitProgress NONE = new CommitProgress(Duration.ZERO, message -> {});

  public CommitProgress {
    requireNonNull(interval, "interval");
    requireNonNull(listener, "listener");
  }

  /** As often as the user has set. */
  public static CommitProgress from(Configuration configuration, Consumer<String> listener) {
    return new CommitProgress(
        Duration.ofSeconds(CoreKeys.PROGRESS_INTERVAL.from(configuration)), listener);
  }

  /** What is wrong with a listener is no reason to leave a decided commit as it is. */
  void tell(long visible, long files) {
    try {
      listener.accept(
          visible < files
              ? String.format(Locale.ROOT, "%,d of %,d files are visible", visible, files)
              : String.format(
                  Locale.ROOT,
                  "all %,d files are visible, old files and unused uploads are being deleted",
                  files));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("The progress of a commit could not be told", e);
    }
  }
}
