package io.zerorename.hive.write;

import io.zerorename.core.config.CoreKeys;
import java.io.IOException;
import org.apache.hadoop.hive.ql.io.StatsProvidingRecordWriter;
import org.apache.hadoop.hive.serde2.SerDeStats;
import org.apache.hadoop.io.Writable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pending writer for a format that counts its rows itself, which Hive asks by instanceof.
 *
 * <p>Parquet counts by reading the footer of the closed file, of which only the end is kept. Where
 * that is not enough it has no count, and Hive would take none for zero rows and answer {@code
 * count(*)} by it. So rows are counted here as well.
 */
final class StatsPendingWriter implements StatsProvidingRecordWriter {
  private static final Logger LOG = LoggerFactory.getLogger(StatsPendingWriter.class);

  private final PendingWriter writer;
  private final StatsProvidingRecordWriter stats;
  private long rows;

  StatsPendingWriter(PendingWriter writer, StatsProvidingRecordWriter stats) {
    this.writer = writer;
    this.stats = stats;
  }

  @Override
  public void write(Writable row) throws IOException {
    writer.write(row);
    rows++;
  }

  @Override
  public void close(boolean abort) throws IOException {
    writer.close(abort);
  }

  @Override
  public SerDeStats getStats() {
    SerDeStats counted = stats.getStats();
    if (counted != null) {
      return counted;
    }
    LOG.warn(
        "ZR-2309: {} has no statistics of its own: its footer is longer than {}, or not all in the file's last part. Its rows were counted; its"
            + " raw data size is taken for {} bytes, the size of the file.",
        writer,
        CoreKeys.UPLOAD_TAIL_SIZE.name(),
        writer.bytes());
    SerDeStats result = new SerDeStats();
    result.setRowCount(rows);
    result.setRawDataSize(writer.bytes());
    return result;
  }
}
