package io.zerorename.hive;

import java.io.IOException;
import org.apache.hadoop.hive.ql.io.StatsProvidingRecordWriter;
import org.apache.hadoop.hive.serde2.SerDeStats;
import org.apache.hadoop.io.Writable;

/** A pending writer for a format that counts its rows itself, which Hive asks by instanceof. */
final class StatsPendingWriter implements StatsProvidingRecordWriter {
  private final PendingWriter writer;
  private final StatsProvidingRecordWriter stats;

  StatsPendingWriter(PendingWriter writer, StatsProvidingRecordWriter stats) {
    this.writer = writer;
    this.stats = stats;
  }

  @Override
  public void write(Writable row) throws IOException {
    writer.write(row);
  }

  @Override
  public void close(boolean abort) throws IOException {
    writer.close(abort);
  }

  @Override
  public SerDeStats getStats() {
    return stats.getStats();
  }
}
