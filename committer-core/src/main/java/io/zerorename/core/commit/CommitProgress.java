package io.zerorename.core.commit;

import io.zerorename.core.config.CoreKeys;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports how far a commit is that takes long, so that a person sees that it goes on and an engine
 * does not take it for dead.
 *
 * @param interval between two messages, and before the first; zero for never
 * @param listener gets each message, in the thread that has called {@link JobCommit#run}, or the
 *     recovery
 */
public record CommitProgress(Duration interval, Consumer<String> listener) {
  private static final Logger LOG = LoggerFactory.getLogger(CommitProgress.class);

  public static final CommitProgress NONE = new CommitProgress(Duration.ZERO, message -> {});

  /** As often as the user has set. */
  public static CommitProgress from(Configuration configuration, Consumer<String> listener) {
    return new CommitProgress(
        Duration.ofSeconds(CoreKeys.PROGRESS_INTERVAL.from(configuration)), listener);
  }

  /** A failure of the listener must not stop a decided commit. */
  public void report(long visible, long files) {
    try {
      listener.accept(
          visible < files
              ? String.format(Locale.ROOT, "%,d of %,d files are visible", visible, files)
              : String.format(
                  Locale.ROOT,
                  "all %,d files are visible, old files and unused uploads are being deleted",
                  files));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("ZR-1102: The progress of a commit could not be reported", e);
    }
  }
}
