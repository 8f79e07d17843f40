package io.zerorename.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What doctor says of a bucket, by a model that denies single requests. */
class BucketChecksTest {
  private static final Path TABLE = new Path("s3a://b/warehouse/t");
  private static final String BUCKET = "arn:aws:s3:::b";
  private static final String COMMITS = BUCKET + "/warehouse/_zerorename/*";
  private static final Set<RequestType> READS =
      Set.of(
          RequestType.GET,
          RequestType.HEAD,
          RequestType.LIST,
          RequestType.LIST_UPLOADS,
          RequestType.LIST_PARTS);

  @ParameterizedTest
  @CsvSource({
    "PUT, s3:PutObject, WRONG",
    "GET, s3:GetObject, WRONG",
    "BULK_DELETE, s3:DeleteObject, WRONG",
    "CREATE_UPLOAD, s3:PutObject, WRONG",
    "UPLOAD_PART, s3:PutObject, WRONG",
    "COMPLETE_UPLOAD, s3:PutObject, WRONG",
    "ABORT_UPLOAD, s3:AbortMultipartUpload, WRONG",
    "LIST_PARTS, s3:ListMultipartUploadParts, WARNING",
    "LIST_UPLOADS, s3:ListBucketMultipartUploads, WARNING"
  })
  void actionThatIsDeniedIsNamedAndNothingIsLeft(
      RequestType denied, String action, Outcome outcome) {
    InMemoryObjectStore store = denying(denied);
    Finding finding = findAmongAll(store, action);

    assertThat(finding.outcome()).as(finding.text()).isEqualTo(outcome);
    assertThat(finding.text()).contains("without it");
    assertThat(finding.remedies())
        .contains(
            "grant %s on %s"
                .formatted(action, denied == RequestType.LIST_UPLOADS ? BUCKET : COMMITS));
    assertThat(store.keys()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void withoutDeleteNothingIsWritten() {
    InMemoryObjectStore store = denying(RequestType.BULK_DELETE);
    Finding put = findAmongAll(store, "s3:PutObject");
    assertThat(put.outcome()).isEqualTo(Outcome.NOT_CHECKED);
    assertThat(put.text()).contains("s3:DeleteObject");
    assertThat(store.requests()).doesNotContainKeys(RequestType.PUT, RequestType.CREATE_UPLOAD);
  }

  @Test
  void aRequestThatTheStoreDoesNotTakeIsWrong() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    store.faults().failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.REJECTED);
    Finding abort = findAmongAll(store, "s3:AbortMultipartUpload");
    assertThat(abort.outcome()).as(abort.text()).isEqualTo(Outcome.WRONG);
    assertThat(abort.remedies()).isEmpty();
    assertThat(store.requests()).doesNotContainKeys(RequestType.PUT, RequestType.CREATE_UPLOAD);
  }

  @Test
  void aRequestWithoutAnAnswerIsNotChecked() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    store.faults().failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThat(findAmongAll(store, "s3:AbortMultipartUpload").outcome())
        .isEqualTo(Outcome.NOT_CHECKED);
  }

  /** Some stores keep the frames around the parts of a signed body with the data. */
  @ParameterizedTest
  @ValueSource(strings = {"-object", "-upload"})
  void whatIsReadBackMustBeWhatWasWritten(String written) {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    Finding get = null;
    for (Check check : checks(store, false)) {
      Finding finding = check.find();
      switch (check.name()) {
        case "s3:PutObject" ->
            store.keys().stream()
                .filter(key -> key.endsWith(written))
                .forEach(key -> store.plant(key, "10;chunk-signature=".getBytes(UTF_8)));
        case "s3:GetObject" -> get = finding;
        default -> {}
      }
    }
    assertThat(get.outcome()).as(get.text()).isEqualTo(Outcome.WRONG);
    assertThat(get.text()).contains(written, "19 bytes", "17 bytes").doesNotContain("denied");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void conditionsOfPutsAreToldAlthoughCompletesFail() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    store.faults().failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThat(findAmongAll(store, "conditional-writes").outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  void whatTheStoreHasRefusedToWriteIsNotRemoved() {
    InMemoryObjectStore store = denying(RequestType.PUT);
    assertThat(findAmongAll(store, "clean-up").text()).isEqualTo("nothing was written");
  }

  @Test
  void readOnlySendsNoRequestThatWrites() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    Map<String, Outcome> outcomes = new java.util.TreeMap<>();
    checks(store, true).forEach(check -> outcomes.put(check.name(), check.find().outcome()));

    assertThat(outcomes)
        .containsEntry("s3:GetObject", Outcome.OK)
        .containsEntry("s3:PutObject", Outcome.NOT_CHECKED)
        .containsEntry("s3:DeleteObject", Outcome.NOT_CHECKED)
        .containsEntry("conditional-writes", Outcome.NOT_CHECKED);
    assertThat(READS)
        .containsAll(
            store.requests().entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(Map.Entry::getKey)
                .toList());
  }

  @Test
  void storeWithoutConditionsIsTold() {
    InMemoryObjectStore store = new InMemoryObjectStore("b", Variant.aws().withConditionsIgnored());
    Finding finding = findAmongAll(store, "conditional-writes");
    assertThat(finding.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(finding.remedies()).singleElement().asString().contains("zerorename.commit.dir");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void bucketThatIsNotThereEndsTheOtherChecks() {
    List<Check> checks = checks(new InMemoryObjectStore("another"), false);
    Finding bucket = checks.get(0).find();
    assertThat(bucket.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(bucket.text()).contains("no bucket for s3a://b/warehouse/t");
    assertThat(checks.subList(1, checks.size() - 1))
        .allSatisfy(
            check -> assertThat(check.find().text()).isEqualTo("the bucket cannot be reached"));
  }

  @Test
  void whatCannotBeRemovedIsNamed() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    // The first bulk deletes are of what does not exist.
    store.faults().failFrom(RequestType.BULK_DELETE, 3, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    Finding finding = findAmongAll(store, "clean-up");
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(store.keys())
        .isNotEmpty()
        .allSatisfy(key -> assertThat(finding.text()).contains("s3a://b/" + key));
  }

  private static InMemoryObjectStore denying(RequestType type) {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    store.faults().failFrom(type, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    return store;
  }

  /** Runs every check, to the last, which cleans up. */
  private static Finding findAmongAll(InMemoryObjectStore store, String name) {
    Finding found = null;
    for (Check check : checks(store, false)) {
      Finding finding = check.find();
      if (check.name().equals(name)) {
        found = finding;
      }
    }
    assertThat(found).as(name).isNotNull();
    return found;
  }

  private static List<Check> checks(InMemoryObjectStore store, boolean readOnly) {
    List<Check> checks =
        new BucketChecks(
                new TrialBucket(store, new Configuration(false), TABLE, readOnly),
                () -> Finding.ok("a rule"))
            .all();
    assertThat(checks).hasSizeGreaterThan(3);
    return checks;
  }
}
