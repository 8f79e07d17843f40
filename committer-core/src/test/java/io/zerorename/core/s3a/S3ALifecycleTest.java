package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which lifecycle rules end uploads below a prefix, as S3 writes them. */
class S3ALifecycleTest {
  private static final Optional<Duration> FIVE_DAYS = Optional.of(Duration.ofDays(5));

  @Test
  void aRuleWithoutAPrefixIsForAllKeys() throws IOException {
    assertThat(expiry(rule("<Filter/>", 5))).isEqualTo(FIVE_DAYS);
    assertThat(expiry(rule("<Filter><Prefix></Prefix></Filter>", 5))).isEqualTo(FIVE_DAYS);
    assertThat(expiry(rule("<Prefix></Prefix>", 5))).isEqualTo(FIVE_DAYS);
  }

  @Test
  void aRuleForAllOrSomeOfTheKeysCounts() throws IOException {
    assertThat(expiry(rule("<Filter><Prefix>ware</Prefix></Filter>", 5))).isEqualTo(FIVE_DAYS);
    assertThat(expiry(rule("<Filter><Prefix>warehouse/t/day=1/</Prefix></Filter>", 5)))
        .isEqualTo(FIVE_DAYS);
    assertThat(expiry(rule("<Prefix>warehouse/</Prefix>", 5))).isEqualTo(FIVE_DAYS);
    assertThat(expiry(rule("<Filter><And><Prefix>warehouse/t/</Prefix></And></Filter>", 5)))
        .isEqualTo(FIVE_DAYS);
  }

  @Test
  void aRuleForOtherKeysDoesNot() throws IOException {
    assertThat(expiry(rule("<Filter><Prefix>warehouse/t2/</Prefix></Filter>", 5))).isEmpty();
    assertThat(expiry(rule("<Prefix>logs/</Prefix>", 5))).isEmpty();
  }

  @Test
  void theShortestOfSeveralRulesCounts() throws IOException {
    assertThat(
            expiry(
                rule("<Filter/>", 9)
                    + rule("<Filter><Prefix>warehouse/</Prefix></Filter>", 5)
                    + rule("<Filter><Prefix>logs/</Prefix></Filter>", 1)))
        .isEqualTo(FIVE_DAYS);
  }

  @Test
  void rulesThatAreOffOrAboutObjectsDoNotCount() throws IOException {
    assertThat(
            expiry(
                "<Rule><ID>objects</ID><Filter/><Status>Enabled</Status>"
                    + "<Expiration><Days>1</Days></Expiration></Rule>"
                    + rule("<Filter/>", 2).replace("Enabled", "Disabled")))
        .isEmpty();
  }

  @Test
  void aBucketWithoutRulesHasNoExpiry() throws IOException {
    assertThat(
            answer(404, "<Error><Code>NoSuchLifecycleConfiguration</Code><Message>m</Message>")
                .expiry())
        .isEmpty();
  }

  /** As a real MinIO answers, with rules for objects and without any. */
  @Test
  void minioHasNoRulesForUploads() {
    String none = "<Error><Code>NoSuchLifecycleConfiguration</Code><Message>m</Message></Error>";
    String some = "<LifecycleConfiguration>" + rule("<Filter/>", 7) + "</LifecycleConfiguration>";
    for (Answer answer : List.of(new Answer(404, none, "MinIO"), new Answer(200, some, "MinIO"))) {
      assertThatThrownBy(answer::expiry)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REJECTED))
          .hasMessageContaining("stale_uploads_expiry");
    }
  }

  @Test
  void rulesThatMayNotBeSeenAreAccessDenied() throws IOException {
    Answer denied = answer(403, "<Error><Code>AccessDenied</Code><Message>m</Message>");
    assertThatThrownBy(denied::expiry)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.ACCESS_DENIED))
        .hasMessageContaining("GetBucketLifecycleConfiguration of s3a://bucket/warehouse/t/");
  }

  @Test
  void aBucketThatIsNotThereIsNotOneWithoutRules() throws IOException {
    Answer absent = answer(404, "<Error><Code>NoSuchBucket</Code><Message>m</Message>");
    assertThatThrownBy(absent::expiry)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NO_SUCH_BUCKET));
  }

  private static String rule(String filter, int days) {
    return "<Rule><ID>r</ID>"
        + filter
        + "<Status>Enabled</Status><AbortIncompleteMultipartUpload><DaysAfterInitiation>"
        + days
        + "</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>";
  }

  private static Optional<Duration> expiry(String rules) throws IOException {
    return new Answer(
            200, "<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>", "AmazonS3")
        .expiry();
  }

  private static Answer answer(int status, String error) {
    return new Answer(status, error + "</Error>", "AmazonS3");
  }

  private record Answer(int status, String body, String name) {
    Optional<Duration> expiry() throws IOException {
      String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + body;
      try (CannedS3 server = new CannedS3(status, xml).withServer(name);
          TestStores stores = TestStores.with(server.hadoopSettings(), Map.of())) {
        return stores.of("bucket").uploadsExpireAfter("warehouse/t/");
      }
    }
  }
}
