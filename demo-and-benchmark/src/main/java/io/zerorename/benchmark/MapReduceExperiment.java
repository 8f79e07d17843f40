package io.zerorename.benchmark;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.report.Progress;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Jobs of MapReduce by every committer that Hadoop has for S3, and by ours. */
final class MapReduceExperiment implements Experiment {
  private static final JobShape WARM_UP = new JobShape(4, 3, 100 * 1024);

  private final BenchmarkOptions options;
  private final AtomicInteger jobs = new AtomicInteger();
  private Path directory;
  private SlowServer server;

  MapReduceExperiment(BenchmarkOptions options) {
    this.options = options;
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (int latency : options.latencies) {
      for (JobShape shape : JobShape.ALL) {
        List<Trial> trials = new ArrayList<>();
        for (CommitterSubject subject : CommitterSubject.ALL) {
          trials.add(trial(subject, shape, latency));
        }
        if (shape.isTypical() || !(options.quick || options.isAside(latency))) {
          cases.add(new Case(shape.caseName(), latency, trials));
        }
      }
    }
    return cases;
  }

  @Override
  public void start(SlowServer server, Path directory, Progress progress)
      throws IOException, InterruptedException {
    this.directory = directory;
    progress.step("preparing S3 and warming up every committer");
    this.server = server;
    for (CommitterSubject subject : CommitterSubject.ALL) {
      if (options.hasSubject(subject.name())) {
        job(subject, WARM_UP, 0);
      }
    }
  }

  @Override
  public void close() throws IOException {
    FileSystem.closeAll();
  }

  private Trial trial(CommitterSubject committer, JobShape shape, int latency) {
    double requests = shape.files() * committer.requestsPerFile() + shape.tasks() * 10 + 20;
    return new Trial(
        committer.name(),
        committer.renames() && shape.filesPerTask() > 1,
        requests,
        round -> job(committer, shape, latency));
  }

  private Sample job(CommitterSubject committer, JobShape shape, int latency)
      throws IOException, InterruptedException {
    int number = jobs.incrementAndGet();
    Path local = Files.createDirectories(directory.resolve("job-" + number));
    String prefix = "mapreduce/" + shape.caseName() + "-" + committer.name() + "-" + number;
    org.apache.hadoop.fs.Path destination =
        new org.apache.hadoop.fs.Path(server.bucket().location(prefix));
    Configuration conf = configuration(committer, local);
    JobID id = new JobID("1700000000000", number);
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, local.resolve("staging").resolve("" + id).toString());
    conf.set(FileOutputFormat.OUTDIR, destination.toString());
    // A client of its own, opened before the clock starts: in a cluster it is the process's.
    try (FileSystem s3a = destination.getFileSystem(conf)) {
      Measured<Map<String, Double>> measured =
          server.measure(latency, new SimulatedJob(conf, destination, shape, id)::run);
      check(committer, shape, prefix);
      return new Sample(
          shape.files(), shape.bytes(), measured.result(), measured.requests().byApiName());
    } finally {
      server.bucket().contents().clear(prefix);
      FileUtil.fullyDelete(local.toFile());
    }
  }

  private Configuration configuration(CommitterSubject committer, Path local) {
    Configuration conf = new Configuration();
    server.bucket().access().settings().forEach(conf::set);
    conf.set("hadoop.tmp.dir", local.resolve("hadoop").toString());
    conf.set("fs.s3a.buffer.dir", local.resolve("buffer").toString());
    conf.set("fs.s3a.committer.staging.tmp.path", local.resolve("committers").toString());
    conf.set(CoreKeys.WORK_DIR.name(), local.resolve("work").toUri().toString());
    committer.configure(conf);
    return conf;
  }

  private void check(CommitterSubject committer, JobShape shape, String prefix) throws IOException {
    List<Long> sizes =
        server.bucket().contents().objects(prefix + "/").entrySet().stream()
            .filter(object -> object.getKey().contains("/part-m-"))
            .map(Map.Entry::getValue)
            .toList();
    if (sizes.size() != shape.files()
        || sizes.stream().anyMatch(size -> size != shape.fileBytes())) {
      throw new IOException(
          committer.name() + " has left these sizes in " + shape.caseName() + ": " + sizes);
    }
  }
}
