package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.util.functional.RemoteIterators;

/** Writes to a partition without the log, as other programs and people do. */
final class ForeignWriter {
  private final ObjectStore store;
  private final String name;
  private final Consumer<Collection<String>> removes;

  /**
   * @param removes called before it deletes keys
   */
  ForeignWriter(ObjectStore store, String name, Consumer<Collection<String>> removes) {
    this.store = store;
    this.name = name;
    this.removes = removes;
  }

  void run(int day) throws IOException {
    String directory = PREFIX + "day=" + day + "/";
    Random random = new Random(name.hashCode());
    List<String> keys = new ArrayList<>();
    RemoteIterators.foreach(store.listObjects(directory), object -> keys.add(object.key()));
    switch (random.nextInt(4)) {
      // TRUNCATE.
      case 0 -> delete(keys);
      // An overwrite on the engine's own path.
      case 1 -> {
        delete(keys);
        write(directory + name);
      }
      // A compaction.
      case 2 -> {
        write(directory + name);
        delete(keys);
      }
      // By hand.
      default -> delete(keys.subList(0, Math.min(1, keys.size())));
    }
  }

  private void write(String key) throws IOException {
    store.putObject(key, RepeatableBody.of(name.getBytes(UTF_8)), Map.of());
  }

  private void delete(List<String> keys) throws IOException {
    if (!keys.isEmpty()) {
      removes.accept(keys);
      store.deleteObjects(keys);
    }
  }
}
