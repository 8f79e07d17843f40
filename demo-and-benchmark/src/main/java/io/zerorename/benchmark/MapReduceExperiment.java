package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.report.Progress;
import io.zerorename.report.Trees;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Jobs of MapReduce by every committer that Hadoop has for S3, and by ours. */
final class MapReduceExperiment implements Experiment {
  private static final JobShape WARM_UP = new JobShape(4, 3, 100 * 1024);

  /** Of the committers, the S3 server and the gateway together. */
  private static final double SECONDS_PER_REQUEST = 0.0012;

  private static final double BYTES_PER_SECOND = 120e6;

  private final BenchmarkOptions options;
  private final Servers servers;
  private final AtomicInteger jobs = new AtomicInteger();
  private Path directory;
  private SlowServer server;

  MapReduceExperiment(BenchmarkOptions options, Servers servers) {
    this.options = options;
    this.servers = servers;
  }

  @Override
  public Suite suite() {
    return Suite.MAPREDUCE;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies()) {
      for (JobShape shape : JobShape.ALL) {
        List<Trial> trials = new ArrayList<>();
        for (CommitterSubject subject : CommitterSubject.ALL) {
          trials.add(new Job(subject, shape, latency));
        }
        if (shape.isTypical() || !(options.quick() || options.isAside(latency))) {
          cases.add(new Case(shape.caseName(), latency, trials));
        }
      }
    }
    return cases;
  }

  @Override
  public void start(Path directory, Progress progress) throws IOException, InterruptedException {
    this.directory = directory;
    progress.step("preparing S3 and warming up every committer");
    server = servers.start(directory, Suite.MAPREDUCE);
    for (CommitterSubject subject : CommitterSubject.ALL) {
      if (options.hasSubject(subject.name())) {
        new Job(subject, WARM_UP, 0).run(0);
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      FileSystem.closeAll();
      server.close();
    }
  }

  private final class Job implements Trial {
    private final CommitterSubject committer;
    private final JobShape shape;
    private final int latency;

    private Job(CommitterSubject committer, JobShape shape, int latency) {
      this.committer = committer;
      this.shape = shape;
      this.latency = latency;
    }

    @Override
    public String subject() {
      return committer.name();
    }

    @Override
    public double estimatedSeconds() {
      double requests = estimatedRequests();
      return 0.7
          + requests * latency / 1000 / committer.inParallel()
          + requests * SECONDS_PER_REQUEST
          + shape.bytes() / BYTES_PER_SECOND;
    }

    @Override
    public double estimatedRequests() {
      return shape.files() * committer.requestsPerFile() + shape.tasks() * 10 + 20;
    }

    @Override
    public Sample run(int round) throws IOException, InterruptedException {
      int number = jobs.incrementAndGet();
      Path local = Files.createDirectories(directory.resolve("job-" + number));
      String prefix = "mapreduce/" + shape.caseName() + "-" + subject() + "-" + number;
      org.apache.hadoop.fs.Path destination =
          new org.apache.hadoop.fs.Path(server.location(prefix));
      Configuration conf = configuration(local);
      JobID id = new JobID("1700000000000", number);
      conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, local.resolve("staging").resolve("" + id).toString());
      conf.set(FileOutputFormat.OUTDIR, destination.toString());
      // A client of its own, opened before the clock starts: in a cluster it is the process's.
      try (FileSystem s3a = destination.getFileSystem(conf)) {
        Map<String, Double> seconds = new LinkedHashMap<>();
        RequestCounts requests =
            server.measure(
                latency,
                () -> seconds.putAll(new SimulatedJob(conf, destination, shape, id).run()));
        check(prefix);
        return new Sample(
            shape.files(), shape.bytes(), seconds, requests.byApiName(), Map.of(), "");
      } finally {
        server.contents().clear(prefix);
        Trees.delete(local);
      }
    }

    private Configuration configuration(Path local) {
      Configuration conf = new Configuration();
      server.access().settings().forEach(conf::set);
      conf.set("hadoop.tmp.dir", local.resolve("hadoop").toString());
      conf.set("fs.s3a.buffer.dir", local.resolve("buffer").toString());
      conf.set("fs.s3a.committer.staging.tmp.path", local.resolve("committers").toString());
      conf.set(CoreKeys.WORK_DIR.name(), local.resolve("work").toUri().toString());
      committer.configure(conf);
      return conf;
    }

    private void check(String prefix) throws IOException {
      List<Long> sizes =
          server.contents().objects(prefix + "/").entrySet().stream()
              .filter(object -> object.getKey().contains("/part-m-"))
              .map(Map.Entry::getValue)
              .toList();
      if (sizes.size() != shape.files()
          || sizes.stream().anyMatch(size -> size != shape.fileBytes())) {
        throw new IOException(
            subject() + " has left these sizes in " + shape.caseName() + ": " + sizes);
      }
    }
  }
}
