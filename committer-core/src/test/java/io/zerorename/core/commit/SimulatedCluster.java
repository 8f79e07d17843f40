package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.RetriedStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** What outlives simulated processes: two buckets, a cluster file system, a metastore. */
public final class SimulatedCluster {
  public static final Path TABLE = new Path("s3a://bucket/w/t");
  public static final String PREFIX = "w/t/";

  /** Where partitions of the table are that have locations of their own. */
  public static final Path ELSEWHERE = new Path("s3a://other/e");

  /** Before the names of objects there. */
  public static final String ELSEWHERE_PREFIX = "other:e/";

  /** Where the log of the table is. */
  public static final Path LOG = new Path("s3a://bucket/w/_zerorename/t-1");

  /**
   * A Complete takes a minute at most, in place of five: that is longer than a comparison of old
   * objects counts, and a process that waits looks less often.
   */
  public static final CommitSettings SETTINGS =
      new CommitSettings(1, 512, Duration.ofMinutes(1), Clock::sleep);

  private static final String BUCKET = "bucket";

  public final InMemoryObjectStore store;
  public final InMemoryObjectStore other;
  public final InMemoryFiles files = new InMemoryFiles();
  public final Set<String> partitions = new TreeSet<>();
  public final String name;
  private Runnable afterTime = () -> {};

  /**
   * @param name of the cluster, unique in this JVM
   */
  public SimulatedCluster(String name, Variant variant) {
    this.name = name;
    this.store = new InMemoryObjectStore(BUCKET, variant);
    this.other = new InMemoryObjectStore(ObjectKeys.bucketOf(ELSEWHERE), variant);
  }

  /** Lets time pass for all processes. */
  public void passTime(Duration time) {
    store.pass(time);
    other.pass(time);
    files.pass(time);
    afterTime.run();
  }

  /** Has something happen whenever time has passed. */
  public void afterTime(Runnable what) {
    afterTime = what;
  }

  public Path work() {
    return new Path("sim://" + name + "/work");
  }

  /** A process's view of what the cluster has. */
  public final class View {
    final Calls calls;
    public final ObjectStores stores;

    /** As the engine sees the bucket, which sends each request once. */
    final ObjectStore bucket;

    public final SimulatedFileSystem fileSystem;

    public View(Calls calls) {
      this.calls = calls;
      this.bucket = SimulatedStore.of(store, calls);
      ObjectStore second = SimulatedStore.of(other, calls);
      this.stores =
          new RetriedStores(
              path -> ObjectKeys.bucketOf(path).equals(other.bucket()) ? second : bucket);
      this.fileSystem = new SimulatedFileSystem(name, files, calls);
    }

    CommitLog log() {
      return new CommitLog(stores, LOG);
    }

    void passTime(Duration time) {
      SimulatedCluster.this.passTime(time);
    }

    /** Lets others make some calls before it goes on. */
    void idle(int turns) throws IOException {
      for (int turn = 0; turn < turns; turn++) {
        calls.make(new Calls.Call("waits", false, false), () -> null);
      }
    }

    public WorkDirectory work() {
      return new WorkDirectory(fileSystem, SimulatedCluster.this.work());
    }

    void addPartitions(CommitPlan plan, Predicate<Path> replacedLater) throws IOException {
      calls.make(
          new Calls.Call("add partitions", false, true),
          () -> {
            RemoteIterators.foreach(
                plan.uploads(),
                file -> {
                  if (!replacedLater.test(file.destination().getParent())) {
                    partitions.add(file.destination().getParent().getName());
                  }
                });
            return null;
          });
    }
  }

  /** A view that nothing goes wrong with. */
  public View undisturbed() {
    return new View(Calls.undisturbed());
  }

  /** The entry that decides a job, read past all processes; empty where there is none. */
  public Optional<LogEntry> decision(String jobId) {
    try {
      CommitLog log = undisturbed().log();
      return log.find(jobId, log.tailDownTo(1));
    } catch (IOException e) {
      throw new AssertionError("the decision of " + jobId + " is damaged", e);
    }
  }

  public boolean isCommitted(String jobId) {
    return decision(jobId).filter(entry -> entry.kind() != EntryKind.VOID).isPresent();
  }

  /** How an object is called: by its key, and in the other bucket with that before it. */
  public static String nameOf(String bucket, String key) {
    return bucket.equals(BUCKET) ? key : bucket + ":" + key;
  }

  public static String nameOf(Path path) {
    return nameOf(ObjectKeys.bucketOf(path), ObjectKeys.of(path));
  }

  /** Puts an object as somebody else would. */
  public void plant(String name, byte[] bytes) {
    if (name.startsWith(ELSEWHERE_PREFIX)) {
      other.plant(name.substring(name.indexOf(':') + 1), bytes);
    } else {
      store.plant(name, bytes);
    }
  }

  /** Names of all objects. */
  public Set<String> names() {
    return Stream.of(store, other)
        .flatMap(bucket -> bucket.keys().stream().map(key -> nameOf(bucket.bucket(), key)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private List<String> objects() {
    return Stream.of(store, other)
        .flatMap(
            bucket ->
                bucket.keys().stream()
                    .map(
                        key ->
                            nameOf(bucket.bucket(), key)
                                + "="
                                + new String(bucket.content(key), UTF_8)))
        .toList();
  }

  /** Names and contents below the table, and of its partitions that are elsewhere. */
  public Set<String> table() {
    return objects().stream()
        .filter(name -> name.startsWith(PREFIX) || name.startsWith(ELSEWHERE_PREFIX))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Names of what would appear if an upload were completed. */
  public List<String> pending() {
    return Stream.of(store, other)
        .flatMap(bucket -> bucket.pendingKeys().stream().map(key -> nameOf(bucket.bucket(), key)))
        .toList();
  }

  public List<String> pending(String jobId) {
    return pending().stream().filter(key -> key.contains(jobId)).toList();
  }

  /** Everything that a second recovery could change. */
  public List<String> snapshot() {
    List<String> all = new ArrayList<>(files.snapshot());
    all.addAll(objects());
    all.addAll(pending());
    all.addAll(partitions);
    return all;
  }
}
