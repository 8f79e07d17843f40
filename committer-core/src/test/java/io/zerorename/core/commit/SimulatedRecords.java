package io.zerorename.core.commit;

import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Records on a cluster file system whose clock runs with simulated time; those that they wrap read
 * this machine's clock.
 *
 * @param ahead how far the simulated clock is ahead
 */
record SimulatedRecords(RecordStore records, Supplier<Duration> ahead) implements RecordStore {
  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return records.putIfAbsent(name, document);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document, Instant asOf) throws IOException {
    return records.putIfAbsent(name, document, asOf.minus(ahead.get()));
  }

  @Override
  public boolean putOnce(String name, byte[] document) throws IOException {
    return records.putOnce(name, document);
  }

  @Override
  public Optional<byte[]> get(String name) throws IOException {
    return records.get(name);
  }

  @Override
  public RemoteIterator<Entry> list(String directory) throws IOException {
    return records.list(directory);
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    records.delete(names);
  }

  @Override
  public void deleteDrafts(Instant before) throws IOException {
    records.deleteDrafts(before);
  }

  @Override
  public Instant now() throws IOException {
    return records.now().plus(ahead.get());
  }

  @Override
  public String locate(String name) {
    return records.locate(name);
  }
}
