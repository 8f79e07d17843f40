package io.zerorename.core.job;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done once a day about a commit directory, and for which no job waits: it forgets old
 * decisions. The first job of the day that uses the directory does it; where that job fails, a job
 * of the next day does.
 *
 * @param directory that holds the logs
 * @param today the day of its check
 */
public record DailyMaintenance(Path directory, LocalDate today) {
  private static final Logger LOG = LoggerFactory.getLogger(DailyMaintenance.class);

  /** Takes one request per 1,000 objects in the directory. A failure is only logged. */
  public void run(ObjectStores stores) {
    try {
      ObjectRecords records = new ObjectRecords(stores, directory);
      String first = CommitDirectoryCheck.nameOf(today.toString());
      records.delete(
          RemoteIterators.toList(records.list(CommitDirectoryCheck.CHECKS)).stream()
              .map(RecordStore.Entry::name)
              .filter(name -> name.compareTo(first) < 0)
              .toList());
      cut(stores, records);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-3107: The daily clean-up of the records in {} failed; it is tried again tomorrow",
          directory,
          e);
    }
  }

  private void cut(ObjectStores stores, ObjectRecords records) throws IOException {
    Instant before =
        today.minusDays(WorkDirectory.KEPT_DAYS).atStartOfDay(ZoneOffset.UTC).toInstant();
    for (String name : logsOlderThan(before, records)) {
      int entries = CommitLog.inBucket(stores, new Path(directory, name)).cut(before);
      LOG.info("{} entries of the commit log of {} are deleted", entries, name);
    }
  }

  /** A directory of many tables may hold more records than fit into memory. */
  private static Set<String> logsOlderThan(Instant before, ObjectRecords records)
      throws IOException {
    Set<String> logs = new TreeSet<>();
    RemoteIterators.foreach(
        records.list(""),
        entry -> {
          String name = entry.name();
          if (entry.written().isBefore(before)
              && (name.contains("/log/") || name.contains("/parts/"))) {
            logs.add(name.substring(0, name.indexOf('/')));
          }
        });
    return logs;
  }
}
