package io.zerorename.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.s3.model.S3Exception;

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

  /** Which proves nothing: the check of s3:PutObject aborts an upload that there is. */
  @Test
  void aMadeUpIdThatTheStoreTakesForNoIdIsNotChecked() {
    InMemoryObjectStore memory = new InMemoryObjectStore("b");
    ObjectStore picky =
        new ForwardingStore(memory) {
          @Override
          public void abortUpload(String key, String uploadId) throws IOException {
            if (!memory.pendingKeys().contains(key)) {
              throw new StoreException(
                  Kind.REJECTED,
                  "the store answers InvalidArgument (HTTP 400)",
                  S3Exception.builder().statusCode(400).build());
            }
            super.abortUpload(key, uploadId);
          }
        };
    Map<String, Finding> findings = findings(path -> picky);
    assertThat(findings.get("s3:AbortMultipartUpload").outcome()).isEqualTo(Outcome.NOT_CHECKED);
    assertThat(findings.get("s3:PutObject").outcome()).isEqualTo(Outcome.OK);
    assertThat(memory.pendingKeys()).isEmpty();
  }

  @Test
  void theRightToAKeyIsNotTakenForTheOneToTheRequest() {
    String key = "arn:aws:kms:eu-central-1:111122223333:key/1234";
    ObjectStore encrypted =
        new ForwardingStore(new InMemoryObjectStore("b")) {
          @Override
          public String putObject(String name, RepeatableBody body, Map<String, String> metadata)
              throws IOException {
            throw denied("kms:GenerateDataKey on resource: " + key + " because no identity-based");
          }

          @Override
          public byte[] getObject(String name) throws IOException {
            throw denied("kms:Decrypt on the resource associated with this ciphertext because no");
          }
        };
    Map<String, Finding> findings = findings(path -> encrypted);
    assertThat(findings.get("s3:PutObject").remedies())
        .containsExactly("grant kms:GenerateDataKey on " + key);
    assertThat(findings.get("s3:GetObject").remedies())
        .containsExactly("grant kms:Decrypt on the KMS key that the bucket uses");
  }

  private static StoreException denied(String action) {
    return new StoreException(
        Kind.ACCESS_DENIED,
        "User: arn:aws:iam::111122223333:user/u is not authorized to perform: " + action);
  }

  /** Some stores keep the frames around the parts of a signed body with the data. */
  @Test
  void whatIsReadBackMustBeWhatWasWritten() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    Finding get = null;
    for (Check check : checks(store, false)) {
      Finding finding = check.find();
      switch (check.name()) {
        case "s3:PutObject" ->
            store.keys().stream()
                .filter(key -> key.endsWith("-upload"))
                .forEach(key -> store.plant(key, "10;chunk-signature=".getBytes(UTF_8)));
        case "s3:GetObject" -> get = finding;
        default -> {}
      }
    }
    assertThat(get.outcome()).as(get.text()).isEqualTo(Outcome.WRONG);
    assertThat(get.text()).contains("-upload", "19 bytes", "17 bytes").doesNotContain("denied");
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void readOnlySendsNoRequestThatWrites() {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    Map<String, Outcome> outcomes = new TreeMap<>();
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

  /** With open entries, or written to in the last 7 days. */
  @Test
  void anotherNameOfTheBucketIsWarnedOfWhileItIsInUse() throws IOException {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    Path other = new Path("s3a://alias/warehouse/t");
    CommitLogs logs = new CommitLogs(store, new Configuration(false));
    CommitLog log =
        new CommitLog(
            store,
            new Path(logs.of(TABLE).directory().getParent(), logs.of(other).directory().getName()));
    OutputJob job = new OutputJob("1", "job 1", List.of(other));
    LogEntry entry = log.decideAgainst(job, log.tail());

    store.pass(Duration.ofDays(8));
    Finding open = findAmongAll(store, "one-name");
    assertThat(open.outcome()).as(open.text()).isEqualTo(Outcome.WARNING);
    assertThat(open.remedies())
        .containsExactly(
            "run zerorename recover s3a://alias/warehouse/t",
            "then name the bucket alike in all jobs and in the metastore");

    log.mark(entry, EntryState.COMPLETE, EndNote.NOTHING);
    Finding former = findAmongAll(store, "one-name");
    assertThat(former.outcome()).as(former.text()).isEqualTo(Outcome.OK);
    assertThat(former.text()).contains("the log of s3a://alias/warehouse/t is there");

    OutputJob later = new OutputJob("2", "job 2", List.of(other));
    log.mark(log.decideAgainst(later, log.tail()), EntryState.COMPLETE, EndNote.NOTHING);
    store.pass(Duration.ofDays(6));
    assertThat(findAmongAll(store, "one-name").outcome()).isEqualTo(Outcome.WARNING);
    store.pass(Duration.ofDays(2));
    assertThat(findAmongAll(store, "one-name").outcome()).isEqualTo(Outcome.OK);
  }

  private static InMemoryObjectStore denying(RequestType type) {
    InMemoryObjectStore store = new InMemoryObjectStore("b");
    store.faults().failFrom(type, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    return store;
  }

  /** Runs every check, to the last, which cleans up. */
  private static Finding findAmongAll(InMemoryObjectStore store, String name) {
    Map<String, Finding> findings = findings(store);
    assertThat(findings).containsKey(name);
    return findings.get(name);
  }

  private static Map<String, Finding> findings(ObjectStores stores) {
    Map<String, Finding> findings = new TreeMap<>();
    checks(stores, false).forEach(check -> findings.put(check.name(), check.find()));
    return findings;
  }

  private static List<Check> checks(ObjectStores stores, boolean readOnly) {
    List<Check> checks =
        new BucketChecks(
                new TrialBucket(stores, new Configuration(false), TABLE, readOnly),
                () -> Finding.ok("a rule"))
            .all();
    assertThat(checks).hasSizeGreaterThan(3);
    return checks;
  }
}
