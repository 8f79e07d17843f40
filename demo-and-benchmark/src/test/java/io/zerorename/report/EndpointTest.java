package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

class EndpointTest {
  @Command
  private static final class Options extends ProgramOptions {
    @Override
    protected void complete() {}
  }

  private static Optional<Endpoint> read(String... arguments) {
    return ProgramOptions.read(new Options(), arguments).endpoint();
  }

  @ParameterizedTest
  @CsvSource({
    "https://s3.eu-central-1.amazonaws.com, eu-central-1",
    "https://s3.dualstack.us-gov-east-1.amazonaws.com, us-gov-east-1",
    "https://s3.cn-north-1.amazonaws.com.cn, cn-north-1",
    "http://minio:9000, us-east-1"
  })
  void aRegionIsReadFromTheHostOfAws(String endpoint, String region) {
    assertThat(read("--endpoint", endpoint + "/", "--bucket=b-1/team/x/"))
        .contains(new Endpoint(URI.create(endpoint), region, "b-1", "team/x/", false));
  }

  /** Nothing of another's bucket may be touched, and no secret be printed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--endpoint=http://minio:9000 | --endpoint needs --bucket",
        "--yes | --bucket, --region and --yes need --endpoint",
        "--endpoint=http://minio/path --bucket=some-bucket | 'http://minio/path'",
        "--endpoint=http://minio --bucket=some-bucket/../x | not 'some-bucket/../x'",
        "--endpoint=https://key:secret@minio --bucket=some-bucket | must be http://host",
        "--endpoint=https://s3.amazonaws.com --bucket=some-bucket | must be that of the bucket's region",
      })
  void whatIsWrongIsNamed(String line, String message) {
    assertThatThrownBy(() -> read(line.strip().split(" ")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aRegionThatIsNamedCounts() {
    assertThat(read("--endpoint=http://minio", "--bucket=b-1", "--region=moon", "--yes"))
        .contains(new Endpoint(URI.create("http://minio"), "moon", "b-1", "", true));
  }
}
