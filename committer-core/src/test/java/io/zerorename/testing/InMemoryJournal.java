package io.zerorename.testing;

import io.zerorename.core.upload.IntentJournal;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** A journal that tests can look into. */
public final class InMemoryJournal implements IntentJournal {
  private final List<String> entries = new ArrayList<>();

  @Override
  public synchronized Entry willCreate(Path destination) {
    int index = entries.size();
    entries.add(destination + " ?");
    return uploadId -> {
      synchronized (this) {
        entries.set(index, destination + " " + uploadId);
      }
    };
  }

  /** For each announced upload its destination and, after a blank, its id or a question mark. */
  public synchronized List<String> entries() {
    return List.copyOf(entries);
  }
}
