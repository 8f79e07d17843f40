package io.zerorename.magic.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.RetriedStores;
import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/**
 * Calls committers as MapReduce does, in whatever order a test wants. Every call is made on a
 * committer of its own, as if in another process, save those of one task attempt.
 */
final class SimulatedJob {
  static final Path DESTINATION = new Path("s3a://bucket/out");

  private final InMemoryObjectStore store;
  private final ObjectStores stores;
  private final Configuration conf;
  private final JobID id;
  private final Counters counters = new Counters();

  public SimulatedJob(InMemoryObjectStore store, java.nio.file.Path directory, int number) {
    this.store = store;
    this.stores = new RetriedStores(store);
    this.id = new JobID("1700000000000", number);
    this.conf = new Configuration();
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, "/staging/" + id);
    conf.set("fs.s3a.buffer.dir", directory.toString());
    conf.set(CoreKeys.WORK_DIR.name(), directory.resolve("work").toUri().toString());
    conf.setInt(CoreKeys.COMMIT_THREADS.name(), 4);
  }

  SimulatedJob with(String key, String value) {
    conf.set(key, value);
    return this;
  }

  /**
   * Its records are kept there.
   *
   * @param where {@code s3a}, or another for where they are by default
   */
  SimulatedJob withRecordsOn(String where) {
    return where.equals("s3a") ? with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records") : this;
  }

  /** The same job, as the next attempt of the application master runs it. */
  SimulatedJob restarted() {
    conf.setInt(
        MRJobConfig.APPLICATION_ATTEMPT_ID, conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1) + 1);
    return this;
  }

  Configuration conf() {
    return conf;
  }

  MagicCommitter committer() throws IOException {
    return committer(stores);
  }

  MagicCommitter committer(ObjectStores through) throws IOException {
    return new MagicCommitter(DESTINATION, context(), ignored -> opened(through));
  }

  /** With the requests from now on. */
  private ObjectStores opened(ObjectStores through) {
    Map<RequestType, Long> before = store.requests();
    return new ObjectStores() {
      @Override
      public ObjectStore forPath(Path path) throws IOException {
        return through.forPath(path);
      }

      @Override
      public Map<RequestType, Long> requests() {
        Map<RequestType, Long> since = new EnumMap<>(RequestType.class);
        store
            .requests()
            .forEach((type, count) -> since.put(type, count - before.getOrDefault(type, 0L)));
        since.values().removeIf(count -> count == 0);
        return since;
      }
    };
  }

  JobContext context() {
    return new JobContextImpl(conf, id);
  }

  TaskAttemptContext attempt(int task, int attempt) {
    return new TaskAttemptContextImpl(
        conf,
        new TaskAttemptID(new TaskID(id, TaskType.MAP, task), attempt),
        new TaskAttemptContextImpl.DummyReporter() {
          @Override
          public Counter getCounter(Enum<?> name) {
            return counters.findCounter(name);
          }

          @Override
          public Counter getCounter(String group, String name) {
            return counters.findCounter(group, name);
          }
        });
  }

  /** Over all attempts of all tasks. */
  long counter(Enum<?> name) {
    return counters.findCounter(name).getValue();
  }

  JobOutput output() throws IOException {
    return JobOutput.open(DESTINATION, context(), ignored -> opened(stores));
  }

  /** The job's UUID. */
  String uuid() throws IOException {
    return output().jobId();
  }

  JobDirectory records() throws IOException {
    return output().records();
  }

  CommitSettings settings() {
    return CommitSettings.from(conf);
  }

  /** A task attempt that is still running. */
  final class Running {
    private final TaskAttemptContext context;
    private final MagicCommitter committer;

    private Running(TaskAttemptContext context) throws IOException {
      this.context = context;
      this.committer = SimulatedJob.this.committer();
      committer.setupTask(context);
    }

    /** Writes and closes a file that holds its own name. */
    Running write(String name) throws IOException {
      // A committer of its own, as output formats make one for each record writer.
      Path file = new Path(SimulatedJob.this.committer().workPath(context), name);
      try (OutputStream out = file.getFileSystem(context.getConfiguration()).create(file)) {
        out.write(name.getBytes(UTF_8));
      }
      return this;
    }

    /** The same, and goes on once the store has the upload, for which the close does not wait. */
    Running upload(String name) throws IOException {
      int before = store.pendingKeys().size();
      write(name);
      try {
        Await.until("the upload of " + name, () -> store.pendingKeys().size() > before);
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return this;
    }

    boolean needsCommit() throws IOException {
      return committer.needsTaskCommit(context);
    }

    public void commit() throws IOException {
      committer.commitTask(context);
    }

    /** In the attempt's own process. */
    void abort() throws IOException {
      committer.abortTask(context);
    }

    MagicCommitter committer() {
      return committer;
    }

    TaskAttemptContext context() {
      return context;
    }
  }

  Running start(int task, int attempt) throws IOException {
    return start(attempt(task, attempt));
  }

  Running start(TaskAttemptContext attempt) throws IOException {
    return new Running(attempt);
  }

  /** A task attempt that goes well. */
  void task(int task, int attempt, String... files) throws IOException {
    Running running = start(task, attempt);
    for (String file : files) {
      running.write(file);
    }
    running.commit();
  }

  SimulatedJob setUp() throws IOException {
    committer().setupJob(context());
    return this;
  }

  public void commit() throws IOException {
    committer().commitJob(context());
  }

  /** Its commit is decided, and breaks off before the n-th file is visible. */
  void breakOffBefore(int nth) {
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, nth, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(this::commit).isInstanceOf(CommitStateUnknownException.class);
    store.faults().clear();
  }

  void abort() throws IOException {
    committer().abortJob(context(), JobStatus.State.FAILED);
  }

  /** Keys below the destination, relative to it. */
  List<String> files() {
    return store.keys().stream()
        .filter(key -> key.startsWith("out/"))
        .map(key -> key.substring("out/".length()))
        .toList();
  }
}
