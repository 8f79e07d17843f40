package io.zerorename.cli;

import io.zerorename.cli.command.Session;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Workers;
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
import org.apache.hadoop.fs.Path;

/**
 * Reads what is open in commit logs. A log that cannot be read does not hide the others.
 *
 * @param directory of which the destinations are wanted that lie below it or hold it
 * @param ended how many of the ended jobs of each log to read as well
 */
record StatusScan(Path directory, LogSearch logs, Session session, int ended) {
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
   * @param below whether the logs of directories below it are looked for
   */
  List<Destination> read(boolean below) throws IOException {
    Set<Path> found = below ? logs.below(directory) : new TreeSet<>();
    for (Path above = directory; above != null && !above.isRoot(); above = above.getParent()) {
      found.add(logs.logOf(above));
    }
    Queue<Destination> destinations = new ConcurrentLinkedQueue<>();
    AtomicInteger done = new AtomicInteger();
    Workers workers = CommitSettings.from(session.conf()).workers();
    workers.forEach(
        found,
        log -> {
          read(log).ifPresent(destinations::add);
          session.output().progress("Logs read", done.incrementAndGet(), found.size());
        });
    return destinations.stream()
        .sorted(Comparator.comparing(Destination::destination).thenComparing(Destination::log))
        .toList();
  }

  /** Empty where there is no log, or that of another destination. */
  private Optional<Destination> read(Path log) {
    Path destination = log;
    try {
      destination = logs.destination(log);
      Path of = destination;
      boolean wanted = of.equals(log) || isAbove(of) || ObjectKeys.isAtOrBelow(of, directory);
      return wanted
          ? new JobHistory(logs.at(log), of)
              .read(ended)
              .map(jobs -> new Destination(of, log, jobs, Optional.empty()))
          : Optional.empty();
    } catch (IOException e) {
      // A user who may read a table need not have access to the directories above it.
      return e instanceof StoreException store
              && store.kind() == StoreException.Kind.ACCESS_DENIED
              && isAbove(destination)
          ? Optional.empty()
          : Optional.of(new Destination(destination, log, List.of(), Optional.of(ErrorText.of(e))));
    }
  }

  private boolean isAbove(Path destination) {
    return !directory.equals(destination) && ObjectKeys.isAtOrBelow(directory, destination);
  }
}
