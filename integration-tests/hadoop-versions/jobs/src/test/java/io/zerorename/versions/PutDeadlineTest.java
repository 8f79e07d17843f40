package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.first;
import static io.zerorename.testing.s3server.FaultRule.type;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The deadlines on which the way of small files rests: each Hadoop brings an SDK of its own, which
 * signs, repeats and counts requests in its own way.
 */
class PutDeadlineTest {
  private static final String OUT = "out";
  private static final Duration SIGNATURES_LAST = Duration.ofMinutes(15);
  private static final DateTimeFormatter AMZ_DATE =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    conf = cluster.conf();
  }

  @AfterEach
  void stop() throws IOException {
    faults(FaultRule.NONE);
    cluster.close();
  }

  @Test
  void aRequestBeforeItsDeadlineIsTakenAndSignedAQuarterOfAnHourBeforeIt() throws Exception {
    Instant deadline = Instant.now().plusSeconds(90);
    List<S3Request> sent =
        withStore(
            store -> assertThat(put(store, deadline)).as("that it was surely sent once").isTrue());

    assertThat(sent)
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.headers())
                    .containsEntry("x-amz-date", AMZ_DATE.format(deadline.minus(SIGNATURES_LAST)))
                    .containsEntry("if-none-match", "*"));
    assertThat(cluster.text("file")).isEqualTo("content");
  }

  @Test
  void aRequestAfterItsDeadlineIsRefusedAndOthersAreNotDisturbed() throws Exception {
    conf.setInt("fs.s3a.attempts.maximum", 2);
    Instant deadline = Instant.now().minusSeconds(30);
    List<S3Request> sent =
        withStore(
            store -> {
              assertThatThrownBy(() -> put(store, deadline))
                  .isInstanceOfSatisfying(
                      StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.EXPIRED));
              assertThat(store.headObject("file")).isEmpty();
              // The SDK must not have learnt a wrong time from the refusal.
              store.putObject("another", body(), Map.of());
              assertThat(put(store, Instant.now().plusSeconds(90))).isTrue();
            });

    assertThat(sent)
        .filteredOn(
            request ->
                AMZ_DATE
                    .format(deadline.minus(SIGNATURES_LAST))
                    .equals(request.headers().get("x-amz-date")))
        .as(
            "the SDK takes it for a wrong clock of this host, and sends it again with the same"
                + " date")
        .hasSize(1 + 2);
    assertThat(cluster.files()).containsExactly("another", "file");
  }

  @Test
  void aThrottledRequestThatIsSentAgainLeavesNoDoubt() throws Exception {
    Instant deadline = Instant.now().plusSeconds(90);
    faults(first(2, type(RequestType.PUT_OBJECT), Fault.slowDown()));
    List<S3Request> sent =
        withStore(
            store -> {
              assertThat(put(store, deadline)).as("that no other copy is under way").isTrue();
              assertThat(store.throttledAnswers()).isEqualTo(2);
            });

    assertThat(sent)
        .hasSize(3)
        .allSatisfy(
            request ->
                assertThat(request.headers())
                    .containsEntry("x-amz-date", AMZ_DATE.format(deadline.minus(SIGNATURES_LAST))));
    assertThat(cluster.text("file")).isEqualTo("content");
  }

  @Test
  void aRequestThatIsSentAgainBecauseItsAnswerWasLostLeavesDoubt() throws Exception {
    faults(first(1, type(RequestType.PUT_OBJECT), Fault.refuse(500, "InternalError")));
    withStore(
        store ->
            assertThat(put(store, Instant.now().plusSeconds(90)))
                .as("that no other copy is under way")
                .isFalse());
    assertThat(cluster.text("file")).isEqualTo("content");
  }

  @Test
  void aRequestThatIsThrottledToTheEndHadNoEffect() throws Exception {
    conf.setInt("fs.s3a.attempts.maximum", 1);
    conf.set("zerorename.retry.time", "0");
    faults(always(type(RequestType.PUT_OBJECT), Fault.slowDown()));
    List<S3Request> sent =
        withStore(
            store -> {
              assertThatThrownBy(() -> put(store, Instant.now().plusSeconds(90)))
                  .isInstanceOfSatisfying(
                      StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.THROTTLED));
              assertThat(store.throttledAnswers()).isEqualTo(2);
            });
    assertThat(sent).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void theFirstJobOfADayFindsThatDeadlinesAreKept(Api api) throws Exception {
    run(api, RequestType.PUT_OBJECT);
    assertThat(notes()).containsExactly("kept");
  }

  @ParameterizedTest
  @EnumSource(Api.class)
  void onAStoreThatTakesNoSuchRequestFilesAreUploaded(Api api) throws Exception {
    faults(always(request -> request.key().matches(".*/checks/.*-early"), Fault.accessDenied()));
    run(api, RequestType.CREATE_MULTIPART_UPLOAD);
    assertThat(notes()).containsExactly("ignored");
  }

  /** Signers that the user names know nothing of the date. */
  @ParameterizedTest
  @EnumSource(Api.class)
  void underASignerOfTheUsersChoiceFilesAreUploaded(Api api) throws Exception {
    conf.set("fs.s3a.s3.signing-algorithm", "AWSS3V4SignerType");
    run(api, RequestType.CREATE_MULTIPART_UPLOAD);
    assertThat(notes()).isEmpty();
  }

  @FunctionalInterface
  private interface Action {
    void run(ObjectStore store) throws IOException;
  }

  /** Returns the requests that write. */
  private List<S3Request> withStore(Action action) throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(conf);
        RequestRecording recording = cluster.server().gateway().record()) {
      action.run(stores.forPath(cluster.s3("")));
      return recording.requests().stream()
          .filter(request -> request.type() == RequestType.PUT_OBJECT)
          .toList();
    }
  }

  private static boolean put(ObjectStore store, Instant deadline) throws IOException {
    return store.putObjectIfAbsent("file", body(), Map.of(), deadline);
  }

  private static RepeatableBody body() {
    return RepeatableBody.of("content".getBytes(UTF_8));
  }

  /** Runs a job, of which each file is to be sent by requests of one type. */
  private void run(Api api, RequestType first) throws Exception {
    WordCount job = new WordCount(new File(directory, "input").toPath());
    try (RequestRecording recording = cluster.server().gateway().record()) {
      api.run(job, conf, cluster.s3(OUT), 3);
      assertThat(recording.keys(first))
          .filteredOn(key -> key.startsWith(OUT + "/part-"))
          .containsExactlyInAnyOrderElementsOf(api.files(OUT, 3));
    }
    assertThat(cluster.lines(OUT)).isEqualTo(job.expected(3));
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  /** What the first job of the day has found. */
  private List<String> notes() throws IOException {
    Path checks = new Path(MapReduceKeys.workDir(conf), "checks");
    FileSystem files = checks.getFileSystem(conf);
    List<String> notes = new ArrayList<>();
    for (FileStatus note : files.listStatus(checks)) {
      if (note.getPath().getName().contains(".put-deadlines.")) {
        try (FSDataInputStream in = files.open(note.getPath())) {
          notes.add(new String(in.readAllBytes(), UTF_8));
        }
      }
    }
    return notes;
  }

  private void faults(FaultRule faults) {
    cluster.server().gateway().faults(faults);
  }
}
