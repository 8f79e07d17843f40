package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.s3a.CannedS3;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lifecycle rules end uploads below a prefix, as S3 writes them. */
class UploadExpiryTest {
  private static final String FOR_ALL = "<Filter/>";

  /** A rule for all or for some of the keys counts, and of several the shortest. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        FOR_ALL,
        "<Filter><Prefix>ware</Prefix></Filter>",
        "<Filter><Prefix>warehouse/t/day=1/</Prefix></Filter>",
        "<Prefix>warehouse/</Prefix>",
        "<Filter><And><Prefix>warehouse/t/</Prefix></And></Filter>"
      })
  void theShortestRuleForSomeOfTheKeysCounts(String filter) throws IOException {
    Finding finding =
        ofRules(rule(FOR_ALL, 9) + rule(filter, 5) + rule("<Prefix>warehouse/t2/</Prefix>", 1));
    assertThat(finding.outcome()).isEqualTo(Outcome.OK);
    assertThat(finding.text()).contains("after 5 days");
  }

  @Test
  void rulesThatAreOffOrForOtherKeysOrAboutObjectsDoNotCount() throws IOException {
    assertNone(
        ofRules(
            "<Rule><ID>objects</ID><Filter/><Status>Enabled</Status>"
                + "<Expiration><Days>1</Days></Expiration></Rule>"
                + rule("<Filter><Prefix>warehouse/t2/</Prefix></Filter>", 5)
                + rule(FOR_ALL, 2).replace("Enabled", "Disabled")));
    assertNone(find(404, error("NoSuchLifecycleConfiguration")));
  }

  @Test
  void aRuleThatEndsTheUploadsOfAWeekendIsWrong() throws IOException {
    assertThat(ofRules(rule(FOR_ALL, 2)).outcome()).isEqualTo(Outcome.WRONG);
    assertThat(ofRules(rule(FOR_ALL, 3)).outcome()).isEqualTo(Outcome.OK);
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
