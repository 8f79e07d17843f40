package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The IAM policy grants what the committer sends, and no more. */
class SecurityPageTest {
  private static final Page PAGE = Page.of(SourceTree.root().resolve("docs/security.md"));

  /** The rows of requests, by their second cell. */
  private static final List<List<String>> ROWS =
      PAGE.rows().stream().filter(row -> row.get(1).startsWith("`s3:")).toList();

  /** As AWS's service authorization reference lists them, with the resource that each is of. */
  private static final Set<String> ACTIONS_OF_BUCKETS =
      Set.of("s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:GetLifecycleConfiguration");

  private static final Set<String> ACTIONS_OF_OBJECTS =
      Set.of(
          "s3:GetObject",
          "s3:PutObject",
          "s3:DeleteObject",
          "s3:AbortMultipartUpload",
          "s3:ListMultipartUploadParts");

  @Test
  void eachRequestIsInTheTable() {
    Set<String> sent = new TreeSet<>();
    for (String type :
        List.of("core/s3a/S3AObjectStore", "core/s3a/S3AListings", "cli/doctor/UploadExpiry")) {
      SourceTree.find(
              "\\bclient\\s*\\.(\\w+)\\(\\s*(?:requests?[.,)]|it ->)",
              SourceTree.ofClass(type + ".java"))
          .forEach(
              method ->
                  sent.add(
                      Character.toUpperCase(method.charAt(0))
                          + method.substring(1).replace("AsBytes", "")));
    }
    assertThat(sent).hasSizeGreaterThan(10);
    assertThat(ROWS.stream().flatMap(row -> SourceTree.find("`(\\w+)`", row.get(0)).stream()))
        .hasSameElementsAs(sent);
  }

  @Test
  void thePolicyHasTheActionsOfTheTable() throws Exception {
    Set<String> granted = new TreeSet<>();
    statements().forEach(statement -> granted.addAll(actions(statement)));
    assertThat(ROWS.stream().map(row -> row.get(1).replace("`", ""))).hasSameElementsAs(granted);
  }

  /** AWS takes a policy that grants an action on the wrong kind of resource, which then is none. */
  @Test
  void thePolicyGrantsActionsOfBucketsOnBucketsAndOthersOnObjects() throws Exception {
    assertThat(policy().get("Version").textValue()).isEqualTo("2012-10-17");
    assertThat(policy().fieldNames()).toIterable().containsExactly("Version", "Statement");
    assertThat(statements())
        .allSatisfy(
            statement -> {
              assertThat(statement.fieldNames())
                  .toIterable()
                  .containsExactly("Sid", "Effect", "Action", "Resource");
              assertThat(statement.get("Sid").textValue()).matches("[A-Za-z0-9]+");
              assertThat(statement.get("Effect").textValue()).isEqualTo("Allow");
              boolean ofBucket =
                  statement.get("Resource").textValue().matches("arn:aws:s3:::[a-z0-9.-]+");
              boolean ofObjects =
                  statement.get("Resource").textValue().matches("arn:aws:s3:::[a-z0-9.-]+/.+\\*");
              assertThat(ofBucket).isNotEqualTo(ofObjects);
              assertThat(ofBucket ? ACTIONS_OF_BUCKETS : ACTIONS_OF_OBJECTS)
                  .containsAll(actions(statement));
            });
  }

  private static JsonNode policy() throws IOException {
    Page.Block policy =
        PAGE.blocks().stream().filter(it -> it.language().equals("json")).findFirst().orElseThrow();
    return new ObjectMapper().readTree(policy.text());
  }

  private static List<JsonNode> statements() throws IOException {
    List<JsonNode> statements = new ArrayList<>();
    policy().get("Statement").forEach(statements::add);
    return statements;
  }

  private static List<String> actions(JsonNode statement) {
    List<String> actions = new ArrayList<>();
    statement.get("Action").forEach(action -> actions.add(action.textValue()));
    return actions;
  }
}
