package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The page explains every check, in the order of the output, and no other. */
class DoctorPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("basedir", "")).resolve("../docs/doctor.md").toAbsolutePath();

  @Test
  void pageHasARowForEachCheckAndNoOther() throws IOException {
    Doctor doctor = new Doctor(new Configuration(false), List.of(), Map.of());
    List<Check> checks = new ArrayList<>(doctor.ofCluster(Optional.empty()));
    checks.addAll(
        doctor.ofBucket(
            new InMemoryObjectStore("b"), new org.apache.hadoop.fs.Path("s3a://b/t"), false));

    assertThat(
            Pattern.compile("(?m)^\\| `([^`]+)` \\|")
                .matcher(Files.readString(PAGE))
                .results()
                .map(match -> match.group(1)))
        .containsExactlyElementsOf(checks.stream().map(Check::name).toList());
  }
}
