package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.docs.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** docs/commands.md explains every check, in the order of the output, and no other. */
class DoctorPageTest {
  @Test
  void pageHasARowForEachCheckAndNoOther() {
    Configuration conf = new Configuration(false);
    List<Check> checks =
        new ArrayList<>(
            new ClusterChecks(
                    new Cluster(conf, List.of(), Map.of(), Optional.empty()), Optional.empty())
                .all());
    checks.addAll(
        BucketChecks.of(new InMemoryObjectStore("b"), conf, new Path("s3a://b/t"), false).all());

    assertThat(checksOfThePage())
        .containsExactlyElementsOf(checks.stream().map(Check::name).toList());
  }

  /** The rows of its section that are no options. */
  private static List<String> checksOfThePage() {
    String page = SourceTree.read("docs/commands.md");
    int first = page.indexOf("### The checks of the cluster");
    String checks = page.substring(first, page.indexOf("\n## ", first));
    return SourceTree.find("^\\| `([^`]+)` \\|", checks);
  }
}
