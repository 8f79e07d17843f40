package io.zerorename.hive.metastore;

import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hive.metastore.api.FireEventRequest;
import org.apache.hadoop.hive.metastore.api.FireEventRequestData;
import org.apache.hadoop.hive.metastore.api.InsertEventRequestData;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.apache.thrift.TException;

/**
 * The events of an INSERT for listeners of the metastore, as Hive sends them: for the table, or for
 * each partition that was there before, the files that were added and whether they replace all
 * others. New partitions have an event of their own kind.
 */
public record InsertEvents(List<InsertEventRequestData> events) {
  public static final InsertEvents NONE = new InsertEvents(List.of());

  /**
   * The events of an INSERT into a table.
   *
   * @param replace whether the files replace all others
   * @param known partitions among those that it writes that the metastore knew before
   * @param files all that it has made visible
   */
  public static InsertEvents of(
      Table table,
      Path destination,
      boolean replace,
      List<Partition> known,
      RemoteIterator<PendingUpload> files)
      throws IOException {
    List<InsertEventRequestData> events = new ArrayList<>();
    // Files of new partitions are in no event, and need no memory here.
    Map<Path, List<String>> byDirectory = new HashMap<>();
    if (!table.isPartitioned()) {
      events.add(event(replace, filesOf(destination, byDirectory)));
    }
    for (Partition partition : known) {
      InsertEventRequestData event =
          event(replace, filesOf(partition.getDataLocation(), byDirectory));
      event.setPartitionVal(partition.getValues());
      events.add(event);
    }
    RemoteIterators.foreach(
        files,
        file -> {
          List<String> ofDirectory = byDirectory.get(file.destination().getParent());
          if (ofDirectory != null) {
            ofDirectory.add(file.destination().toString());
          }
        });
    return new InsertEvents(events);
  }

  private static List<String> filesOf(Path directory, Map<Path, List<String>> byDirectory) {
    return byDirectory.computeIfAbsent(directory, it -> new ArrayList<>());
  }

  private static InsertEventRequestData event(boolean replace, List<String> files) {
    InsertEventRequestData event = new InsertEventRequestData(files);
    event.setReplace(replace);
    return event;
  }

  /** Sends all of them in one request to the metastore, and none where there are none. */
  public void send(Hive hive, Table table, Configuration conf) throws HiveException {
    if (events.isEmpty()) {
      return;
    }
    try {
      for (InsertEventRequestData event : events) {
        for (String file : event.getFilesAdded()) {
          event.addToFilesAddedChecksum(checksum(new Path(file), conf));
        }
      }
      FireEventRequest request =
          new FireEventRequest(
              true,
              table.isPartitioned()
                  ? FireEventRequestData.insertDatas(events)
                  : FireEventRequestData.insertData(events.get(0)));
      request.setDbName(table.getDbName());
      request.setTableName(table.getTableName());
      hive.getMSC().fireListenerEvent(request);
    } catch (IOException | TException e) {
      throw new HiveException(
          "ZR-5301: All files of the statement are in place, but the metastore could not send its events: "
              + e.getMessage(),
          e);
    }
  }

  /** S3A has one only where it is configured to make one of the ETag; else "". */
  private static String checksum(Path file, Configuration conf) throws IOException {
    FileChecksum checksum = file.getFileSystem(conf).getFileChecksum(file);
    return checksum == null
        ? ""
        : StringUtils.byteToHexString(checksum.getBytes(), 0, checksum.getLength());
  }
}
