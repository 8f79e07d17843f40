package io.zerorename.core.commit;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PartBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * Stage: writes a directory marker where an overwrite leaves no object, because S3A takes a
 * directory without any object for absent. One request per directory.
 */
final class KeepDirectories {
  private final ObjectStores stores;

  KeepDirectories(ObjectStores stores) {
    this.stores = stores;
  }

  void run(List<Path> directories, Workers workers) throws IOException {
    workers.forEach(
        directories,
        directory ->
            stores
                .forPath(directory)
                .putObject(ObjectKeys.prefixOf(directory), PartBody.of(new byte[0]), Map.of()));
  }
}
