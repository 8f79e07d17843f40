package io.zerorename.cli;

import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
 * @param ended how many of the ended jobs of each log to read as well
 */
record StatusScan(LogSearch logs, Session session, int ended) {
  /**
   * What is open at a destination.
   *
   * @param log the directory of its commit log
   * @param jobs that have not ended, or of which files are lost, and others that have ended
   * @param problem why the log cannot be read
   */
  record Destination(Path destination, Path log, List<LoggedJob> jobs, Optional<String> problem) {
    Destination {
      jobs = List.copyOf(jobs);
    }
  }

  /**
   * What a user has typed: a path, a table or a database.
   *
   * @throws InputException if it is none of them
   */
  static List<Target> targets(String typed, Session session) throws IOException {
    return isDatabase(typed)
        ? Target.ofDatabase(typed, session.conf())
        : List.of(Target.of(typed, session));
  }

  /** Whether a user has typed no name. */
  static boolean isPath(String typed) {
    return !Target.isTable(typed) && !isDatabase(typed);
  }

  private static boolean isDatabase(String typed) {
    return typed.matches("\\w+");
  }

  /**
   * The destinations that lie below one of the targets or hold it, as far as they have a log or a
   * job that has begun. A listing for each log, and three requests for each job that is open.
   */
  List<Destination> read(String typed, List<Target> targets) throws IOException {
    Map<Path, List<JobDirectory>> begun = logs.records().begun();
    Set<Path> all = logsOf(targets, isPath(typed));
    all.addAll(begun.keySet());
    List<Path> directories = targets.stream().map(Target::path).toList();
    Queue<Destination> found = new ConcurrentLinkedQueue<>();
    AtomicInteger done = new AtomicInteger();
    Workers workers = CommitSettings.from(session.conf()).workers();
    workers.forEach(
        all,
        log -> {
          read(log, begun.getOrDefault(log, List.of()), directories).ifPresent(found::add);
          session.progress().step("Logs read", done.incrementAndGet(), all.size());
        });
    session.progress().clear();
    return found.stream()
        .sorted(Comparator.comparing(Destination::destination).thenComparing(Destination::log))
        .toList();
  }

  /** For a name, only the logs of the tables themselves are read. */
  private Set<Path> logsOf(List<Target> targets, boolean isPath) throws IOException {
    Set<Path> found = new TreeSet<>();
    for (Target target : targets) {
      if (isPath) {
        found.addAll(logs.below(target.path()));
      }
      for (Path above = target.path();
          above != null && !above.isRoot();
          above = isPath ? above.getParent() : null) {
        found.add(logs.logOf(above));
      }
    }
    return found;
  }

  /** Empty where there is no log, or that of another destination. */
  private Optional<Destination> read(Path log, List<JobDirectory> begun, List<Path> directories) {
    Path destination = log;
    try {
      destination = logs.destination(log);
      if (!isOf(destination, log, directories)) {
        return Optional.empty();
      }
      Path of = destination;
      return new JobHistory(logs.at(log), destination, begun)
          .read(ended)
          .map(jobs -> new Destination(of, log, jobs, Optional.empty()));
    } catch (IOException e) {
      // A user who may read a table need not have access to the directories above it.
      return e instanceof StoreException store
              && store.kind() == StoreException.Kind.ACCESS_DENIED
              && isAbove(destination, directories)
          ? Optional.empty()
          : Optional.of(new Destination(destination, log, List.of(), Optional.of(ErrorText.of(e))));
    }
  }

  private static boolean isOf(Path destination, Path log, List<Path> directories) {
    return destination.equals(log)
        || directories.stream().anyMatch(it -> ObjectKeys.isAtOrBelow(destination, it))
        || isAbove(destination, directories);
  }

  private static boolean isAbove(Path destination, List<Path> directories) {
    return directories.stream()
        .anyMatch(it -> !it.equals(destination) && ObjectKeys.isAtOrBelow(it, destination));
  }
}
