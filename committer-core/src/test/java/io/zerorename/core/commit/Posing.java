package io.zerorename.core.commit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.RemoteIterator;

/** Records whose entries seem to be written by another process. */
public final class Posing implements RecordStore {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final RecordStore records;
  private final ProcessIdentity process;

  public Posing(RecordStore records, ProcessIdentity process) {
    this.records = records;
    this.process = process;
  }

  @Override
  public boolean putOnce(String name, byte[] document) throws IOException {
    return records.putOnce(name, document);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    return records.putIfAbsent(name, document);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document, Instant asOf) throws IOException {
    ObjectNode entry = (ObjectNode) JSON.readTree(document);
    entry.put("host", process.host());
    entry.put("pid", process.pid());
    entry.put("startedSeconds", process.started().getEpochSecond());
    return records.putIfAbsent(name, JSON.writeValueAsBytes(entry), asOf);
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
    return records.now();
  }

  @Override
  public String locate(String name) {
    return records.locate(name);
  }
}
