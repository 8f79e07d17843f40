package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recordstore.LogRecords;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/** Passes each call on to other records. */
abstract class ForwardingRecords implements LogRecords {
  private final LogRecords records;

  ForwardingRecords(LogRecords records) {
    this.records = requireNonNull(records, "records");
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return write(name, document).isPresent();
  }

  @Override
  public Optional<String> write(String name, byte[] document) throws IOException {
    return records.write(name, document);
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
  public RemoteIterator<Entry> beginningWith(String prefix) throws IOException {
    return records.beginningWith(prefix);
  }

  @Override
  public void delete(Collection<String> names) throws IOException {
    records.delete(names);
  }

  @Override
  public Instant now() throws IOException {
    return records.now();
  }

  @Override
  public String locate(String name) {
    return records.locate(name);
  }
}
