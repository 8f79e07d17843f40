package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.nth;
import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.magic.CommitterCounter;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.JobRequests;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole jobs of both APIs, with tasks in parallel, where S3A refuses requests without a span. */
class WordCountTest {
  private static final String OUT = "out";

  @TempDir private File directory;
  private TestCluster cluster;
  private WordCount job;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    job = new WordCount(new File(directory, "input").toPath());
  }

  @AfterEach
  void stop() throws IOException {
    cluster.server().gateway().faults(FaultRule.NONE);
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void aSmallFileTakesThreeRequestsAndATaskNone(Api api) throws Exception {
    // The first job of a day checks what the store can do.
    api.run(job, cluster.conf(), cluster.s3("first"), 3);

    assertThat(requests(() -> api.run(job, cluster.conf(), cluster.s3(OUT), 3)))
        .isEqualTo(JobRequests.MAPREDUCE.andFiles(3));
    assertIsCompleteAndNothingElseIsLeft(api, OUT, 3);
    assertThat(requests(() -> api.run(job, cluster.conf(), cluster.s3("maps"), 0)))
        .isEqualTo(JobRequests.MAPREDUCE.andFiles(WordCount.MAPS));
    assertIsCompleteAndNothingElseIsLeft(api, "maps", 0);
  }

  private void assertIsCompleteAndNothingElseIsLeft(Api api, String output, int reducers)
      throws IOException {
    List<String> files = api.files(output, reducers);
    assertThat(cluster.dataFiles(output)).isEqualTo(files);
    assertThat(cluster.lines(output)).isEqualTo(job.expected(reducers));
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    assertThat(cluster.files())
        .filteredOn(key -> !key.matches("(first|out|maps)/.*") || key.startsWith(output + "/"))
        .isEqualTo(Stream.concat(Stream.of(output + "/_SUCCESS"), files.stream()).toList());
  }

  private Map<RequestType, Long> requests(Callable<?> action) throws Exception {
    RequestCounts before = cluster.server().gateway().counts();
    action.call();
    return cluster.server().gateway().counts().minus(before).byType();
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void countersTellWhatWasWritten(Api api) throws Exception {
    Configuration conf = cluster.conf();
    // Tasks that run at once in one JVM count each other's bytes.
    conf.setInt("mapreduce.local.map.tasks.maximum", 1);
    conf.setInt("mapreduce.local.reduce.tasks.maximum", 1);

    Counters counters = api.run(job, conf, cluster.s3(OUT), 3);

    List<String> files = api.files(OUT, 3);
    long bytes =
        cluster.bucket().objects(OUT).entrySet().stream()
            .filter(object -> files.contains(object.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    assertThat(counters.findCounter(CommitterCounter.FILES).getValue()).isEqualTo(files.size());
    assertThat(counters.findCounter(CommitterCounter.BYTES).getValue()).isEqualTo(bytes);
    assertThat(counters.findCounter(FileOutputFormatCounter.BYTES_WRITTEN).getValue())
        .isEqualTo(bytes);
  }

  @ParameterizedTest
  @MethodSource("io.zerorename.versions.Api#ofTier")
  void requestsNameTheJobAndTheTaskAttemptInTheAccessLog(Api api) throws Exception {
    try (RequestRecording recording = cluster.server().gateway().record()) {
      api.run(job, cluster.conf(), cluster.s3(OUT), 1);

      List<S3Request> ours =
          recording.requests().stream()
              .filter(
                  request ->
                      request.headers().getOrDefault("referer", "").contains("op=zerorename."))
              .toList();
      assertThat(ours)
          .extracting(S3Request::type)
          .contains(RequestType.LIST_OBJECTS_V2, RequestType.COMPLETE_MULTIPART_UPLOAD);
      assertThat(ours)
          .allSatisfy(
              request -> assertThat(request.headers().get("referer")).contains("&ji=job_local"));
      assertThat(ours)
          .filteredOn(request -> request.type() == RequestType.UPLOAD_PART)
          .singleElement()
          .satisfies(
              request ->
                  assertThat(request.headers().get("referer")).contains("&ta=attempt_local"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.zerorename.versions.Api#ofTier")
  void failedJobLeavesNothing(Api api) {
    // Of the uploads in parallel, the others succeed.
    cluster.server().gateway().faults(nth(3, type(RequestType.UPLOAD_PART), Fault.accessDenied()));

    assertThatThrownBy(() -> api.run(job, cluster.conf(), cluster.s3(OUT), 0))
        .isInstanceOf(IOException.class);

    assertThat(cluster.files()).isEmpty();
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }
}
