package io.zerorename.benchmark;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.report.SlowServer;
import io.zerorename.report.SlowServer.Measured;
import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** Jobs of MapReduce by every committer that Hadoop has for S3, and by ours. */
final class MapReduceExperiment implements Experiment {
  private static final JobShape WARM_UP = new JobShape(4, 3, 100 * 1024);

  private int jobs;
  private Path directory;

  @Override
  public List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (JobShape shape : JobShape.ALL) {
      for (CommitterSubject committer : CommitterSubject.ALL) {
        trials.add(
            new Trial(
                shape.caseName(),
                committer.name(),
                shape.isTypical(),
                !shape.isTypical() || (committer.renames() && shape.filesPerTask() > 1),
                shape.files() * committer.requestsPerFile() + shape.tasks() * 10 + 20,
                (server, round) -> job(committer, shape, server)));
      }
    }
    return trials;
  }

  @Override
  public void start(SlowServer server, Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    for (CommitterSubject committer : CommitterSubject.ALL) {
      job(committer, WARM_UP, server);
    }
  }

  @Override
  public void close() throws IOException {
    FileSystem.closeAll();
  }

  private Sample job(CommitterSubject committer, JobShape shape, SlowServer server)
      throws IOException, InterruptedException {
    MeasuredBucket bucket = server.bucket();
    JobID id = new JobID("1700000000000", ++jobs);
    Path local = Files.createDirectories(directory.resolve("" + id));
    String prefix = "mapreduce/" + shape.caseName() + "-" + committer.name() + "-" + jobs;
    org.apache.hadoop.fs.Path destination = new org.apache.hadoop.fs.Path(bucket.location(prefix));
    Configuration conf = new Configuration();
    bucket.access().settings().forEach(conf::set);
    conf.set("hadoop.tmp.dir", local.resolve("hadoop").toString());
    conf.set("fs.s3a.buffer.dir", local.resolve("buffer").toString());
    conf.set("fs.s3a.committer.staging.tmp.path", local.resolve("committers").toString());
    conf.set(CoreKeys.WORK_DIR.name(), local.resolve("work").toUri().toString());
    committer.settings().forEach(conf::set);
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, local.resolve("staging").resolve("" + id).toString());
    conf.set(FileOutputFormat.OUTDIR, destination.toString());
    // A client of its own, opened before the clock starts: in a cluster it is the process's.
    try (FileSystem s3a = destination.getFileSystem(conf)) {
      Measured<Map<String, Double>> measured =
          server.measure(new SimulatedJob(conf, destination, shape, id)::run);
      List<Long> sizes = server.dataFiles(prefix, shape.files());
      if (sizes.stream().anyMatch(size -> size != shape.fileBytes())) {
        throw new IOException(prefix + " has files of these sizes: " + sizes);
      }
      return new Sample(
          shape.files(), shape.bytes(), measured.result(), measured.requests().byApiName());
    } finally {
      bucket.contents().clear(prefix);
      FileUtil.fullyDelete(local.toFile());
    }
  }
}
