package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * Finds the commit logs of destinations: of those that are named, and of others on S3 by the keys
 * of their records.
 *
 * @param records of the user's jobs that have begun
 */
record LogSearch(ObjectStores stores, ClusterRecords records, Configuration conf) {
  /**
   * Advice if nothing is found at a path: it may be a partition outside of its table's directory,
   * whose commits are in the table's log. Nothing there shows where the table is.
   */
  static final String COMMITS_ELSEWHERE =
      "A partition whose location is outside of its table's has the commits of its table: name the"
          + " table's location, and the partition's by --also.";

  private static final Pattern RECORD =
      Pattern.compile(
          "((?:.*/)?[^/]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/log/_\\d{12}[^/]*");

  /** A search for advice ends here: five requests for each directory. */
  private static final long FEW_OBJECTS = 5_000;

  private static final int NAMED = 5;

  /**
   * Checks that a path, or a directory above it, has a log that can be read.
   *
   * @param advice if there is none
   * @throws InputException if there is none; it names the nearest logs
   */
  void require(Path path, String advice, Output output) throws IOException {
    if (anyUpwards(path, log -> at(log).tail().highest() > 0)) {
      return;
    }
    List<Path> nearest = nearest(path);
    List<String> named =
        nearest.stream().limit(NAMED).map(Path::toString).collect(Collectors.toList());
    ArrayNode json = output.json().putArray("nearest");
    named.forEach(json::add);
    if (nearest.size() > NAMED) {
      named.add((nearest.size() - NAMED) + " more, which zerorename status lists");
    }
    throw new InputException(
        "ZR-9102: There is no commit log of %s or of a directory above it%s. %s"
            .formatted(
                path,
                named.isEmpty()
                    ? ", and none near it"
                    : "; the nearest logs are of " + String.join(", ", named),
                advice));
  }

  /** The directory of a destination's log, whether or not it has one. */
  Path logOf(Path destination) {
    return new CommitLogs(stores, conf).of(destination).directory();
  }

  /** The log in such a directory. */
  CommitLog at(Path log) {
    return CommitLog.inBucket(stores, log);
  }

  /**
   * Whether a test is true for one of the logs of a path or of the directories above it, whose jobs
   * may have written there. It is tried with each log until it is.
   */
  boolean anyUpwards(Path path, FunctionRaisingIOE<Path, Boolean> test) throws IOException {
    for (Path above = path; above != null; above = above.getParent()) {
      try {
        if (test.apply(logOf(above))) {
          return true;
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (above.equals(path) || e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
      }
    }
    return false;
  }

  /** The destinations with a log below a path or, where there is none, below one above it. */
  private List<Path> nearest(Path path) throws IOException {
    try {
      for (Path above = path; above != null; above = above.getParent()) {
        Set<Path> logs = new TreeSet<>();
        collect(new Path(above, CommitLogs.DEFAULT_NAME), FEW_OBJECTS, logs);
        collect(above, FEW_OBJECTS, logs);
        List<Path> destinations = List.copyOf(destinations(logs, above));
        if (!destinations.isEmpty()) {
          return destinations;
        }
      }
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
        throw e;
      }
    }
    return List.of();
  }

  /**
   * The logs of every destination below a directory, and perhaps of others. One request per 1,000
   * objects there.
   *
   * @throws StoreException if they cannot be listed
   */
  Set<Path> below(Path directory) throws IOException {
    Set<Path> found = new TreeSet<>();
    collect(directory, Long.MAX_VALUE, found);
    if (CoreKeys.COMMIT_DIR.find(conf, ObjectKeys.bucketOf(directory)).isPresent()) {
      collect(logOf(directory).getParent(), Long.MAX_VALUE, found);
    }
    return found;
  }

  private void collect(Path directory, long most, Set<Path> logs) throws IOException {
    RemoteIterator<ObjectSummary> objects =
        stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory));
    for (long i = 0; i < most && objects.hasNext(); i++) {
      Matcher record = RECORD.matcher(objects.next().key());
      if (record.matches()) {
        logs.add(new Path(directory, "/" + record.group(1)));
      }
    }
  }

  private Set<Path> destinations(Set<Path> logs, Path directory) throws IOException {
    Set<Path> found = new TreeSet<>();
    for (Path log : logs) {
      Path destination = destination(log);
      if (ObjectKeys.isAtOrBelow(destination, directory)) {
        found.add(destination);
      }
    }
    return found;
  }

  /** The destination of a log, or where none can be read the log itself. */
  Path destination(Path log) throws IOException {
    // Most often the name says it; else an entry does.
    String name = log.getName().replaceFirst("(-[0-9a-f]+){5}$", "");
    Path beside = new Path(log.getParent().getParent(), name);
    if (logOf(beside).equals(log)) {
      return beside;
    }
    CommitLog read = at(log);
    LogTail tail = read.tailDownTo(1);
    List<Long> numbers = new ArrayList<>(tail.numbers());
    Collections.reverse(numbers);
    for (long number : numbers) {
      Optional<Path> destination =
          readable(read, number)
              .map(entry -> entry.job().destination())
              .filter(it -> logOf(it).getName().equals(log.getName()));
      if (destination.isPresent()) {
        return destination.get();
      }
    }
    return log;
  }

  /** Another entry of the log says the same. */
  private static Optional<LogEntry> readable(CommitLog log, long number) throws IOException {
    try {
      return log.read(number);
    } catch (MalformedManifestException e) {
      return Optional.empty();
    }
  }
}
