package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.s3a.CannedS3;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Which lifecycle rules end uploads below a prefix, as S3 writes them. */
class UploadExpiryTest {
  private static final String NONE = error("NoSuchLifecycleConfiguration");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<Filter/>",
        "<Filter><Prefix></Prefix></Filter>",
        "<Filter><Prefix>ware</Prefix></Filter>",
        "<Filter><Prefix>warehouse/t/day=1/</Prefix></Filter>",
        "<Prefix>warehouse/</Prefix>",
        "<Filter><And><Prefix>warehouse/t/</Prefix></And></Filter>"
      })
  void aRuleForAllOrSomeOfTheKeysCounts(String filter) throws IOException {
    assertRemovedAfter5Days(rule(filter, 5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"<Filter><Prefix>warehouse/t2/</Prefix></Filter>", "<Prefix>logs/</Prefix>"})
  void aRuleForOtherKeysDoesNot(String filter) throws IOException {
    assertNone(ofRules(rule(filter, 5)));
  }

  @Test
  void theShortestOfSeveralRulesCounts() throws IOException {
    assertRemovedAfter5Days(
        rule("<Filter/>", 9)
            + rule("<Filter><Prefix>warehouse/</Prefix></Filter>", 5)
            + rule("<Filter><Prefix>logs/</Prefix></Filter>", 1));
  }

  @Test
  void rulesThatAreOffOrAboutObjectsDoNotCount() throws IOException {
    assertNone(
        ofRules(
            "<Rule><ID>objects</ID><Filter/><Status>Enabled</Status>"
                + "<Expiration><Days>1</Days></Expiration></Rule>"
                + rule("<Filter/>", 2).replace("Enabled", "Disabled")));
  }

  @Test
  void aBucketWithoutRulesHasNoExpiry() throws IOException {
    assertNone(find(404, NONE));
  }

  @Test
  void aRuleThatEndsTheUploadsOfAWeekendIsWrong() throws IOException {
    Finding finding = ofRules(rule("<Filter/>", 2));
    assertThat(finding.outcome()).isEqualTo(Outcome.WRONG);
    assertThat(finding.text()).contains("after 2 days");
    assertThat(ofRules(rule("<Filter/>", 3)).outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  void aStoreThatKnowsNoRulesIsNamed() throws IOException {
    Finding finding = find(501, error("NotImplemented"));
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("the store reports no rule").contains("501");
  }

  /** Apache Ozone does not know the parameter and lists the bucket. */
  @Test
  void aListingInPlaceOfRulesSaysNothingOfRules() throws IOException {
    Finding finding = find(200, "<ListBucketResult><Name>bucket</Name></ListBucketResult>");
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text())
        .contains("the store reports no rule", "has no rules in it")
        .doesNotContain("give the bucket one");
  }

  @Test
  void rulesThatMayNotBeSeenAreDenied() throws IOException {
    Finding finding = find(403, error("AccessDenied"));
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("without it");
    assertThat(finding.remedies())
        .containsExactly("grant s3:GetLifecycleConfiguration on arn:aws:s3:::bucket");
  }

  @Test
  void anErrorOfTheStoreSaysNothingOfRules() {
    assertThatThrownBy(() -> find(500, error("InternalError"))).isInstanceOf(S3Exception.class);
  }

  private static String error(String code) {
    return "<Error><Code>" + code + "</Code><Message>m</Message></Error>";
  }

  private static String rule(String filter, int days) {
    return "<Rule><ID>r</ID>"
        + filter
        + "<Status>Enabled</Status><AbortIncompleteMultipartUpload><DaysAfterInitiation>"
        + days
        + "</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>";
  }

  private static void assertRemovedAfter5Days(String rules) throws IOException {
    Finding finding = ofRules(rules);
    assertThat(finding.outcome()).isEqualTo(Outcome.OK);
    assertThat(finding.text()).contains("after 5 days");
  }

  private static void assertNone(Finding finding) {
    assertThat(finding.outcome()).isEqualTo(Outcome.WARNING);
    assertThat(finding.text()).contains("no lifecycle rule removes incomplete uploads");
  }

  private static Finding ofRules(String rules) throws IOException {
    return find(200, "<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>");
  }

  private static Finding find(int status, String body) throws IOException {
    String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + body;
    try (CannedS3 server = new CannedS3(status, xml)) {
      Configuration conf = new Configuration();
      server.hadoopSettings().forEach(conf::set);
      conf.setInt("fs.s3a.attempts.maximum", 0);
      return new UploadExpiry(conf, new Path("s3a://bucket/warehouse/t")).run();
    }
  }
}
