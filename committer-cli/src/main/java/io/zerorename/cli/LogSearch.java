package io.zerorename.cli;

import io.zerorename.cli.command.InputException;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Finds the commit logs of destinations: of those that are named, and of others on S3 by the keys
 * of their records.
 */
record LogSearch(ObjectStores stores, Configuration conf) {
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

  /**
   * Checks that a path, or a directory above it, has a log that can be read.
   *
   * @param advice if there is none
   * @return the lowest directory that has one
   * @throws InputException if there is none
   */
  Path require(Path path, String advice) throws IOException {
    for (Path above = path; above != null; above = above.getParent()) {
      try {
        if (new CommitLogs(stores, conf).of(above).tail().highest() > 0) {
          return above;
        }
      } catch (StoreException e) {
        // A user who may read a table need not have access to the directories above it.
        if (above.equals(path) || e.kind() != StoreException.Kind.ACCESS_DENIED) {
          throw e;
        }
      }
    }
    throw new InputException(
        ("ZR-9102: There is no commit log of %s or of a directory above it. %s zerorename status %s"
                + " shows all of the bucket.")
            .formatted(path, advice, new Path(path, "/")));
  }

  boolean hasObjects(Path directory) throws IOException {
    return stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)).hasNext();
  }

  /** The directory of a destination's log, whether or not it has one. */
  Path logOf(Path destination) {
    return new CommitLogs(stores, conf).of(destination).directory();
  }

  /** The log in such a directory. */
  CommitLog at(Path log) {
    return new CommitLog(stores, log);
  }

  /**
   * The logs of every destination below a directory, and perhaps of others. One request per 1,000
   * objects there.
   *
   * @throws StoreException if they cannot be listed
   */
  Set<Path> below(Path directory) throws IOException {
    Set<Path> found = new TreeSet<>();
    collect(directory, found);
    if (CoreKeys.COMMIT_DIR.find(conf, ObjectKeys.bucketOf(directory)).isPresent()) {
      collect(logOf(directory).getParent(), found);
    }
    return found;
  }

  private void collect(Path directory, Set<Path> logs) throws IOException {
    RemoteIterators.foreach(
        stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)),
        object -> {
          Matcher record = RECORD.matcher(object.key());
          if (record.matches()) {
            logs.add(new Path(directory, "/" + record.group(1)));
          }
        });
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
    for (long number : JobHistory.latestFirst(tail)) {
      Optional<Path> destination =
          destination(read, number, tail).filter(it -> logOf(it).getName().equals(log.getName()));
      if (destination.isPresent()) {
        return destination.get();
      }
    }
    return log;
  }

  /** Where an entry cannot be read, another of the log says the same. */
  private static Optional<Path> destination(CommitLog log, long number, LogTail tail)
      throws IOException {
    try {
      return log.read(number, tail).map(entry -> entry.job().destination());
    } catch (MalformedDocumentException e) {
      return Optional.empty();
    }
  }
}
