package io.zerorename.cli;

import io.zerorename.cli.doctor.OtherNames;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Reads what is open in commit logs. A log that cannot be read does not hide the others.
 *
 * @param directory of which the destinations are wanted that lie below it or hold it
 * @param ended how many of the ended jobs of each log to read as well
 */
record StatusScan(Path directory, CommitLogs logs, Session session, int ended) {
  private static final Pattern RECORD =
      Pattern.compile(
          "((?:.*/)?[^/]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/log/_\\d{12}[^/]*");

  /**
   * What is open at a destination.
   *
   * @param log the directory of its commit log
   * @param jobs that have not ended, or of which files are lost, and others that have ended
   * @param problem why the log cannot be read
   */
  record Destination(Path destination, Path log, List<LoggedJob> jobs, Optional<String> problem) {
    boolean isQuiet() {
      return jobs.isEmpty() && problem.isEmpty();
    }
  }

  /**
   * Every destination with a log. A listing for each log, and three requests for each job that is
   * open.
   *
   * @param below whether the logs of directories below it are looked for, with one request per
   *     1,000 objects there
   * @throws StoreException if they cannot be listed
   */
  List<Destination> read(boolean below) throws IOException {
    Set<Path> found = new TreeSet<>();
    if (below) {
      collect(directory, found);
      if (CoreKeys.COMMIT_DIR.find(session.conf(), ObjectKeys.bucketOf(directory)).isPresent()) {
        collect(logOf(directory).getParent(), found);
      }
    }
    for (Path above = directory; above != null && !above.isRoot(); above = above.getParent()) {
      found.add(logOf(above));
    }
    Queue<Destination> destinations = new ConcurrentLinkedQueue<>();
    AtomicInteger done = new AtomicInteger();
    CommitSettings.from(session.conf())
        .workers()
        .forEach(
            found,
            log -> {
              read(log).ifPresent(destinations::add);
              session.output().progress("Logs read", done.incrementAndGet(), found.size());
            });
    return destinations.stream()
        .sorted(Comparator.comparing(Destination::destination).thenComparing(Destination::log))
        .toList();
  }

  /** Finds the logs of destinations by the keys of their records. */
  private void collect(Path below, Set<Path> found) throws IOException {
    RemoteIterators.foreach(
        logs.stores().forPath(below).listObjects(ObjectKeys.prefixOf(below)),
        object -> {
          Matcher record = RECORD.matcher(object.key());
          if (record.matches()) {
            found.add(new Path(below, "/" + record.group(1)));
          }
        });
  }

  private Path logOf(Path destination) {
    return logs.of(destination).directory();
  }

  /** Empty where there is no log, or that of another destination. */
  private Optional<Destination> read(Path directoryOfLog) {
    // Most often the name says the destination; else an entry does.
    String name = directoryOfLog.getName().replaceFirst("(-[0-9a-f]+){5}$", "");
    Path beside = new Path(directoryOfLog.getParent().getParent(), name);
    boolean isNamed = logOf(beside).equals(directoryOfLog);
    Path destination = isNamed ? beside : directoryOfLog;
    try {
      CommitLog log = new CommitLog(logs.stores(), directoryOfLog);
      LogTail tail = log.tailDownTo(1);
      if (!isNamed) {
        destination = new OtherNames(logs).destinationOf(log, tail).orElse(directoryOfLog);
      }
      // What lies below may name its destination by another name of the bucket.
      boolean wanted =
          ObjectKeys.isAtOrBelow(directoryOfLog, directory)
              || destination.equals(directoryOfLog)
              || isAbove(destination)
              || ObjectKeys.isAtOrBelow(destination, directory);
      return wanted && tail.highest() > 0
          ? Optional.of(
              new Destination(
                  destination,
                  directoryOfLog,
                  new JobHistory(log, tail, destination).read(ended),
                  Optional.empty()))
          : Optional.empty();
    } catch (IOException e) {
      // A user who may read a table need not have access to the directories above it.
      return e instanceof StoreException store
              && store.kind() == StoreException.Kind.ACCESS_DENIED
              && isAbove(destination)
          ? Optional.empty()
          : Optional.of(
              new Destination(
                  destination, directoryOfLog, List.of(), Optional.of(ErrorText.of(e))));
    }
  }

  private boolean isAbove(Path destination) {
    return !directory.equals(destination) && ObjectKeys.isAtOrBelow(directory, destination);
  }
}
