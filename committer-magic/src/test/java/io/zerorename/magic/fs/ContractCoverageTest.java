package io.zerorename.magic.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.util.Arrays;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.contract.AbstractFSContractTestBase;
import org.junit.jupiter.api.Test;

/** No contract test of Hadoop is left out without a reason. */
class ContractCoverageTest {

  @Test
  void everyContractIsRunOrDocumentedAsNotApplicable() throws IOException {
    Set<String> run =
        Arrays.stream(PendingFileSystemContractTest.class.getDeclaredClasses())
            .map(contract -> contract.getSuperclass().getSimpleName())
            .collect(Collectors.toSet());
    String reasons = SourceTree.read("docs/design/pending-file-system.md");

    Set<String> all = contracts();

    assertThat(all).contains("AbstractContractCreateTest").hasSizeGreaterThan(20);
    assertThat(all).containsAll(run);
    assertThat(all)
        .allSatisfy(
            contract ->
                assertThat(reasons.contains("| `" + contract + "` |"))
                    .as("%s has a reason not to run", contract)
                    .isEqualTo(!run.contains(contract)));
  }

  private static Set<String> contracts() throws IOException {
    String base = AbstractFSContractTestBase.class.getSimpleName() + ".class";
    URL url = AbstractFSContractTestBase.class.getResource(base);
    try (JarFile jar = ((JarURLConnection) url.openConnection()).getJarFile()) {
      return jar.stream()
          .map(entry -> entry.getName().replaceAll(".*/", ""))
          .filter(name -> name.matches("AbstractContract\\w+\\.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()))
          .collect(Collectors.toSet());
    }
  }
}
