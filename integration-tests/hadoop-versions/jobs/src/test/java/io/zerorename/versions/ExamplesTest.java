package io.zerorename.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.install.ConfExamples;
import io.zerorename.testing.s3server.RequestRecording;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs with the files of conf-examples, as a user copies them. */
class ExamplesTest {
  private static final String OUT = "out";

  @TempDir private File directory;
  private TestCluster cluster;
  private WordCount job;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory);
    job = new WordCount(new File(directory, "input").toPath());
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void jobsOfMapReduce(Api api) throws Exception {
    Configuration conf = cluster.conf();
    ConfExamples.settings("core-site.xml").forEach(conf::set);
    ConfExamples.settings("mapred-site.xml").forEach(conf::set);

    assertCommits(api, conf, cluster.s3(OUT));
  }

  @ParameterizedTest
  @CsvSource({"minio, V1", "ceph, V2"})
  void storesOfOneKindOrAnother(String store, Api api) throws Exception {
    Map<String, String> settings = ConfExamples.settings(store + "/core-site.xml");
    Configuration conf = cluster.conf();
    // What the example has to say itself.
    for (String key : List.of("endpoint", "endpoint.region", "path.style.access")) {
      conf.unset("fs.s3a." + key);
      assertThat(settings).containsKey("fs.s3a." + key);
    }
    conf.unset("fs.s3a.connection.ssl.enabled");
    settings.forEach(conf::set);
    URI server = cluster.server().endpoint();
    // By a name: to a number S3A would send every request in path style.
    conf.set("fs.s3a.endpoint", "http://localhost:" + server.getPort());
    ConfExamples.settings("mapred-site.xml").forEach(conf::set);

    assertCommits(api, conf, cluster.s3(OUT));
  }

  @ParameterizedTest
  @MethodSource("io.zerorename.versions.Api#ofTier")
  void pathsOfTheSchemeS3(Api api) throws Exception {
    Configuration conf = cluster.conf();
    ConfExamples.settings("emr/core-site.xml").forEach(conf::set);
    ConfExamples.settings("emr/mapred-site.xml").forEach(conf::set);
    Path output = new Path("s3://" + cluster.bucket().bucket() + "/" + OUT);

    assertCommits(api, conf, output);
    output.getFileSystem(conf).close();
  }

  private void assertCommits(Api api, Configuration conf, Path output) throws Exception {
    try (RequestRecording recording = cluster.server().gateway().record()) {
      api.run(job, conf, output, 3);

      assertThat(recording.requests()).isNotEmpty().noneMatch(request -> request.type().isCopy());
    }
    assertThat(cluster.dataFiles(OUT)).isEqualTo(api.files(OUT, 3));
    assertThat(cluster.lines(OUT)).isEqualTo(job.expected(3));
    Path success = new Path(output, "_SUCCESS");
    assertThat(SuccessData.load(success.getFileSystem(conf), success).getCommitter())
        .isEqualTo("zerorename");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }
}
