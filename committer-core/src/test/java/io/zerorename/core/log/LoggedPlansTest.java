package io.zerorename.core.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where the log keeps a plan, and that nothing else is ever taken for it. */
class LoggedPlansTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final Path LOG = new Path("s3a://bucket/_zerorename/t-1");
  private static final OutputJob JOB =
      new OutputJob(
          "job/1", "INSERT into db.t", TABLE, List.of(TABLE), true, Map.of("database", "db"));
  private static final OldObject OLD =
      new OldObject(
          new Path("s3a://bucket/"),
          "t/sub/",
          "\"old\"",
          Instant.parse("2026-01-02T03:04:05.678Z"));

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private PlanWriter writer;

  @BeforeEach
  void begin() {
    writer = log().newPlan(JOB);
  }

  /** Opened anew, as another process does it. */
  private CommitLog log() {
    return new CommitLog(store, LOG);
  }

  private static PendingUpload upload(int number) {
    return new PendingUpload(
        new Path(TABLE, "day=1/%05d".formatted(number)),
        "upload-" + number,
        List.of(new UploadedPart(1, "\"etag\"", 3)),
        JOB.id(),
        "attempt",
        "identity-" + number);
  }

  private void addUploads(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      writer.add(upload(i));
    }
  }

  private LogEntry decide() throws IOException {
    writer.writeRest();
    return Decisions.decide(
        log(),
        writer.draft(List.of(new Path(TABLE, "day=1")), List.of(), new TreeSet<>()),
        log().tail());
  }

  private CommitPlan read() throws IOException {
    return log().plan(log().read(1).orElseThrow());
  }

  private List<String> parts() {
    return store.keys().stream().filter(key -> key.contains("/parts/")).toList();
  }

  private String key(String document) {
    return ObjectKeys.prefixOf(LOG) + document;
  }

  @Test
  void aSmallPlanLiesInItsEntry() throws IOException {
    writer.add(upload(0));
    writer.replace(OLD);
    writer.keep(new Path(TABLE, "empty"));
    decide();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.PUT, 1L));
    store.resetCounts();

    assertThat(Plans.whole(read()))
        .isEqualTo(
            new PlanChunk(List.of(upload(0)), List.of(OLD), List.of(new Path(TABLE, "empty"))));

    assertThat(store.requests()).isEqualTo(Map.of(RequestType.GET, 1L));
    assertThat(read().attempts()).containsExactly("attempt");
  }

  @ParameterizedTest
  @CsvSource({"1000, 0", "1001, 1", "5000, 1", "5001, 1", "6000, 1", "6001, 2", "12000, 3"})
  void aChunkOfMoreThanAThousandFilesIsADocumentOfItsOwn(int files, int documents)
      throws IOException {
    addUploads(files);
    decide();
    assertThat(parts()).hasSize(documents);
    store.resetCounts();

    CommitPlan plan = read();

    assertThat(plan.fileCount()).isEqualTo(files);
    assertThat(RemoteIterators.toList(plan.uploads()))
        .containsExactlyElementsOf(IntStream.range(0, files).mapToObj(i -> upload(i)).toList());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.GET, 1L + documents));
  }

  @Test
  void aChunkThatIsNotTheDecidedOneIsRefused() throws IOException {
    addUploads(1_001);
    String chunk = decide().chunks().get(0);
    String text = new String(store.content(key(chunk)), UTF_8);
    for (String changed :
        List.of(
            "",
            text.substring(0, text.length() / 2),
            text.replace("\"version\":5", "\"version\":9"),
            text.replace("t/day=1/00007", "t/day=1/7"))) {
      assertThat(changed).isNotEqualTo(text);
      store.plant(key(chunk), changed.getBytes(UTF_8));
      assertThatThrownBy(this::read)
          .isInstanceOf(MalformedDocumentException.class)
          .hasMessageContaining(chunk)
          .hasMessageContaining("is not the one that was decided");
    }
  }

  /** The other chunks would be taken for the whole plan, and old files be deleted without new. */
  @Test
  void aPlanWithoutOneOfItsChunksIsNotFinished() throws IOException {
    store.faults().fail(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> addUploads(PlanWriter.ENTRIES_PER_CHUNK))
        .isInstanceOf(StoreException.class);
    addUploads(PlanWriter.ENTRIES_PER_CHUNK + 1);
    assertThatThrownBy(writer::writeRest).isInstanceOf(IllegalStateException.class);
  }
}
