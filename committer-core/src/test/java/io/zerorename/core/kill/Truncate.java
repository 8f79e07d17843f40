package io.zerorename.core.kill;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.EngineStatement;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** A statement of which the engine deletes the old files itself, as Hive's TRUNCATE. */
final class Truncate {
  /** So that a process can be killed between two requests. */
  private static final int BATCH = 3;

  private final ObjectStores stores;
  private final EngineStatement replacement;
  private final OutputJob job;
  private final List<Path> directories;

  Truncate(
      ObjectStores stores, EngineStatement replacement, OutputJob job, List<Path> directories) {
    this.stores = requireNonNull(stores, "stores");
    this.replacement = requireNonNull(replacement, "replacement");
    this.job = requireNonNull(job, "job");
    this.directories = List.copyOf(directories);
  }

  /** The keys of all files that it is going to delete. */
  List<String> list() throws IOException {
    List<String> keys = new ArrayList<>();
    for (Path directory : directories) {
      RemoteIterators.foreach(
          stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)),
          object -> keys.add(object.key()));
    }
    return keys;
  }

  void delete(List<String> keys) throws IOException {
    for (int first = 0; first < keys.size(); first += BATCH) {
      stores
          .forPath(directories.get(0))
          .deleteObjects(keys.subList(first, Math.min(keys.size(), first + BATCH)));
    }
  }

  /** Returns the number of its entry; empty where none is needed. */
  Optional<Long> end() throws IOException {
    return replacement.end(job, directories, decided -> true).map(LogEntry::number);
  }
}
