package io.zerorename.core.commit;

import io.zerorename.core.config.Conflict;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.NotWrittenException;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * What an overwrite had seen of its destination when it began. It fails where others have changed
 * since what it replaces, if its user wants that ({@link CoreKeys#CONFLICT}).
 *
 * @param highest number in the log
 * @param listed when, by the store's clock, in whole seconds: so are the times of objects
 */
public record SeenLog(long highest, Instant listed) {
  /** Whatever others do, the later number wins. */
  public static final SeenLog ALL = new SeenLog(Long.MAX_VALUE, Instant.MAX);

  /** To be called when an overwrite begins. One request where a conflict is to fail it. */
  public static SeenLog now(CommitLog log, Configuration conf, String bucket) throws IOException {
    if (CoreKeys.CONFLICT.from(conf, bucket) == Conflict.ORDER) {
      return ALL;
    }
    LogTail tail = log.tail();
    return new SeenLog(tail.highest(), tail.listed().truncatedTo(ChronoUnit.SECONDS));
  }

  /** Fails for one of these entries that is later and may change something in the directories. */
  void refuse(Collection<Long> numbers, DirectorySet replaced, CommitLog log, LogTail tail)
      throws IOException {
    List<Long> later = numbers.stream().filter(number -> number > highest).toList();
    SortedSet<Long> changing = log.overlapping(later, replaced, tail);
    if (!changing.isEmpty()) {
      LogEntry entry = log.read(changing.first(), tail).orElseThrow();
      boolean isMet = entry.number() > tail.highest();
      refuse(
          "%s of job %s was decided %s"
              .formatted(
                  entry.description(),
                  entry.job().id(),
                  isMet ? "just before it" : "at " + tail.written(entry.number())));
    }
  }

  /**
   * Fails for each object that is not older and that no job of the log has written. Who these are
   * is looked up once, where there is such an object.
   */
  GroupedListing.Visitor check(CommitLog log, LogTail tail) {
    // Several threads look: the first to come to a newer object looks the jobs up.
    FutureTask<Set<String>> jobs = new FutureTask<>(() -> ForeignChanges.jobs(log, tail));
    return (directory, object) -> {
      if (object.lastModified().isBefore(listed) || !ForeignChanges.isFile(directory, object)) {
        return;
      }
      jobs.run();
      if (FutureIO.awaitFuture(jobs).stream().noneMatch(object.key()::contains)) {
        refuse(
            "%s was written at %s by a program that does not use the commit log"
                .formatted(new Path(directory, "/" + object.key()), object.lastModified()));
      }
    };
  }

  private void refuse(String change) throws IOException {
    throw new NotWrittenException(
        new IOException(
            ("ZR-1139: what it replaces has changed since it began at %s: %s. Run it again, or set"
                    + " %s to order, so that it replaces that too.")
                .formatted(listed, change, CoreKeys.CONFLICT.name())));
  }
}
