package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;

/** What outlives simulated processes: a bucket, a cluster file system, a metastore. */
final class SimulatedCluster {
  static final Path TABLE = new Path("s3a://bucket/w/t");
  static final String PREFIX = "w/t/";
  private static final Path BUCKET_LOG = new Path("s3a://bucket/w/_zerorename/t-1");
  static final CommitSettings SETTINGS = new CommitSettings(1, 3, Duration.ZERO);

  final InMemoryObjectStore store;
  final InMemoryFiles files = new InMemoryFiles();
  final Set<String> partitions = new TreeSet<>();
  final String name;
  private final boolean logOnFileSystem;

  /**
   * @param name of the cluster, unique in this JVM
   * @param logOnFileSystem whether decisions are kept there, not in the bucket
   */
  SimulatedCluster(String name, Variant variant, boolean logOnFileSystem) {
    this.name = name;
    this.logOnFileSystem = logOnFileSystem;
    this.store = new InMemoryObjectStore("bucket", variant);
    // As the first job of the day leaves it.
    store.plant(
        "w/_zerorename/checks/" + LocalDate.now(ZoneOffset.UTC) + ".put-deadlines",
        (variant.refusesExpired() ? "yes" : "no").getBytes(UTF_8));
  }

  Path work() {
    return new Path("sim://" + name + "/work");
  }

  Path logDirectory() {
    return logOnFileSystem ? new Path(work(), "commits/t-1") : BUCKET_LOG;
  }

  /** A process's view of what the cluster has. */
  final class View {
    final Calls calls;
    final SimulatedStore stores;
    final SimulatedFileSystem fileSystem;

    View(Calls calls) {
      this.calls = calls;
      this.stores = new SimulatedStore(store, calls);
      this.fileSystem = new SimulatedFileSystem(name, files, calls);
    }

    CommitLog log() {
      return logOnFileSystem
          ? CommitLog.onFileSystem(fileSystem, logDirectory())
          : new CommitLog(
              new ObjectRecords(stores, logDirectory(), Duration.ZERO),
              Optional.of(new PutExpiry(stores, logDirectory().getParent())));
    }

    void passTime(Duration time) {
      store.pass(time);
    }

    WorkDirectory work() {
      return new WorkDirectory(fileSystem, SimulatedCluster.this.work());
    }

    void addPartitions(CommitPlan plan) throws IOException {
      calls.make(
          new Calls.Call("add partitions", false, true),
          () -> {
            for (OutputFile file : plan.files()) {
              partitions.add(file.destination().getParent().getName());
            }
            return null;
          });
    }
  }

  /** A view that nothing goes wrong with. */
  View undisturbed() {
    return new View(
        new Calls() {
          @Override
          public <T> T make(Call call, Effect<T> effect) throws IOException {
            return effect.take();
          }
        });
  }

  /** What stands about a job, read past all processes; empty where nothing does. */
  Optional<Decision.Outcome> decision(String jobId) {
    try {
      Path record = new Path(logDirectory(), "decisions/" + jobId + ".json");
      byte[] document;
      if (logOnFileSystem) {
        if (files.snapshot().stream().noneMatch(file -> file.startsWith(record + ":"))) {
          return Optional.empty();
        }
        document = files.read(record);
      } else {
        if (!store.keys().contains(ObjectKeys.of(record))) {
          return Optional.empty();
        }
        document = store.content(ObjectKeys.of(record));
      }
      return Optional.of(DecisionJson.read(document, record.toString()).outcome());
    } catch (IOException e) {
      throw new AssertionError("the decision of " + jobId + " is damaged", e);
    }
  }

  /** Keys and contents below the table. */
  Set<String> table() {
    Set<String> objects = new TreeSet<>();
    for (String key : store.keys()) {
      if (key.startsWith(PREFIX)) {
        objects.add(key + "=" + new String(store.content(key), UTF_8));
      }
    }
    return objects;
  }

  List<String> pending(String jobId) {
    return store.pendingKeys().stream().filter(key -> key.contains(jobId)).toList();
  }

  /** Everything that a second recovery could change. */
  List<String> snapshot() {
    List<String> all = new ArrayList<>(files.snapshot());
    for (String key : store.keys()) {
      all.add(key + "=" + new String(store.content(key), UTF_8));
    }
    all.addAll(store.pendingKeys());
    all.addAll(partitions);
    return all;
  }
}
