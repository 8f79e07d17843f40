package io.zerorename.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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

  @Test
  void eachRequestIsInTheTable() {
    Set<String> sent = new TreeSet<>();
    for (String type : List.of("S3AObjectStore", "S3AListings", "S3ADeletes", "S3ALifecycle")) {
      SourceTree.find(
              "\\bclient\\s*\\.(\\w+)\\(\\s*requests?\\.",
              SourceTree.ofClass("core/s3a/" + type + ".java"))
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
    Page.Block policy =
        PAGE.blocks().stream().filter(it -> it.language().equals("json")).findFirst().orElseThrow();
    Set<String> granted = new TreeSet<>();
    for (JsonNode statement : new ObjectMapper().readTree(policy.text()).get("Statement")) {
      statement.get("Action").forEach(action -> granted.add(action.textValue()));
    }
    assertThat(ROWS.stream().map(row -> row.get(1).replace("`", ""))).hasSameElementsAs(granted);
  }
}
