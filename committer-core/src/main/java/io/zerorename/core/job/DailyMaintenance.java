package io.zerorename.core.job;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.recordstore.RecordStore;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
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
 * <p>Days are those of the store's clock: a machine's may be off by days, and the store answers it
 * all the same, because the AWS SDK corrects the time by which it signs.
 *
 * @param directory that holds the logs
 */
public record DailyMaintenance(Path directory) {
  private static final Logger LOG = LoggerFactory.getLogger(DailyMaintenance.class);

  /** Takes one request per 1,000 objects in the directory. A failure is only logged. */
  public void run(ObjectStores stores) {
    try {
      ObjectRecords records = new ObjectRecords(stores, directory);
      List<RecordStore.Entry> checks =
          RemoteIterators.toList(records.list(CommitDirectoryCheck.CHECKS));
      LocalDate today = LocalDate.ofInstant(records.now(), ZoneOffset.UTC);
      String first = CommitDirectoryCheck.nameOf(today.toString());
      records.delete(
          checks.stream()
              .map(RecordStore.Entry::name)
              .filter(name -> name.compareTo(first) < 0)
              .toList());
      cut(stores, records, today);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-3107: The daily clean-up of the records in {} failed; it is tried again tomorrow",
          directory,
          e);
    }
  }

  private void cut(ObjectStores stores, ObjectRecords records, LocalDate today) throws IOException {
    Instant before =
        today.minusDays(WorkDirectory.KEPT_DAYS).atStartOfDay(ZoneOffset.UTC).toInstant();
    Failures failures = new Failures();
    for (String name : logsOlderThan(before, records)) {
      try {
        int entries = CommitLog.inBucket(stores, new Path(directory, name)).cut(before);
        LOG.info("{} entries of the commit log of {} are deleted", entries, name);
      } catch (IOException e) {
        // It must not keep those of other tables from being cut.
        failures.add(e);
        if (e instanceof StoreException store && store.isPassing()) {
          // For each log a request would be repeated for minutes.
          break;
        }
      }
    }
    failures.throwAny();
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
