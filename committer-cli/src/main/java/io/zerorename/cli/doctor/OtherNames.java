package io.zerorename.cli.doctor;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The logs that a place has by other names of its bucket, such as the alias of an access point:
 * they lie beside its own, and no job that uses this name reads them.
 */
public record OtherNames(CommitLogs logs) {
  /** Of the UUID with which the name of a log ends, behind a readable one. */
  private static final int ID_LENGTH = 36;

  /**
   * A log beside that of a place.
   *
   * @param tail all of its entries; there is one at least
   * @param destination the place as the log's jobs name it; empty where no entry that can be read
   *     says it, so that the log may be of another place whose name reads the same
   */
  public record Log(CommitLog log, LogTail tail, Optional<Path> destination) {}

  /**
   * Those of a place, in the order of their names. One request per 1,000 records of all logs with
   * its readable name, and two or more for each log but its own. None in a directory that the user
   * has set for logs, where the same key of another bucket has its log as well.
   */
  public List<Log> of(Path place) throws IOException {
    List<Log> found = new ArrayList<>();
    if (CoreKeys.COMMIT_DIR.find(logs.conf(), ObjectKeys.bucketOf(place)).isPresent()) {
      return found;
    }
    Path own = logs.of(place).directory();
    String readable = own.getName().substring(0, own.getName().length() - ID_LENGTH);
    String beside = ObjectKeys.prefixOf(own.getParent());
    Set<String> names = new TreeSet<>();
    RemoteIterators.foreach(
        logs.stores().forPath(own).listObjects(beside + readable),
        object -> names.add(object.key().substring(beside.length()).split("/", 2)[0]));
    names.removeIf(it -> it.equals(own.getName()) || it.length() != own.getName().length());
    for (String name : names) {
      CommitLog log = new CommitLog(logs.stores(), new Path(own.getParent(), name));
      LogTail tail = log.tailDownTo(1);
      Optional<Path> destination = destinationOf(log, tail);
      boolean elsewhere =
          destination.filter(it -> !ObjectKeys.of(it).equals(ObjectKeys.of(place))).isPresent();
      if (tail.highest() > 0 && !elsewhere) {
        found.add(new Log(log, tail, destination));
      }
    }
    return found;
  }

  /** The destination of a log, by an entry of it that can be read. */
  public Optional<Path> destinationOf(CommitLog log, LogTail tail) throws IOException {
    for (long number : tail.numbers()) {
      try {
        // That of an entry of which its writer knew no more than the job's id is no destination.
        Optional<Path> destination =
            log.read(number, tail)
                .map(entry -> entry.job().destination())
                .filter(it -> nameOf(it).equals(log.directory().getName()));
        if (destination.isPresent()) {
          return destination;
        }
      } catch (MalformedDocumentException e) {
        // Another entry says the same.
      }
    }
    return Optional.empty();
  }

  private String nameOf(Path destination) {
    return logs.of(destination).directory().getName();
  }
}
