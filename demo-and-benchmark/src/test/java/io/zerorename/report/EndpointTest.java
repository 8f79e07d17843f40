package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.report.CommandLine.InvalidOptionException;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointTest {
  private static Optional<Endpoint> read(String... arguments) throws InvalidOptionException {
    CommandLine line = new CommandLine("./program", arguments);
    Endpoint.Options options = new Endpoint.Options();
    while (line.hasNext()) {
      if (!options.take(line.next(), line)) {
        throw line.unknown();
      }
    }
    return options.endpoint();
  }

  @Test
  void withoutTheOptionThereIsNone() throws Exception {
    assertThat(read()).isEmpty();
  }

  @Test
  void aRegionIsReadFromTheHostOfAws() throws Exception {
    assertThat(read("--endpoint", "https://s3.eu-central-1.amazonaws.com/", "--bucket=some-bucket"))
        .contains(
            new Endpoint(
                URI.create("https://s3.eu-central-1.amazonaws.com"),
                "eu-central-1",
                "some-bucket",
                "",
                false));
  }

  @Test
  void anyOtherStoreHasTheFirstRegionOfAllUnlessItIsNamed() throws Exception {
    assertThat(read("--endpoint", "http://minio:9000", "--bucket", "b-1/team/x/", "--yes"))
        .contains(
            new Endpoint(URI.create("http://minio:9000"), "us-east-1", "b-1", "team/x/", true));
    assertThat(
            read("--endpoint=http://minio:9000", "--bucket=b-1", "--region=moon")
                .orElseThrow()
                .region())
        .isEqualTo("moon");
  }

  @Test
  void aRunHasADirectoryOfItsOwn() throws Exception {
    assertThat(
            read("--endpoint=http://minio:9000", "--bucket=b-1/team")
                .orElseThrow()
                .newDirectory("demo"))
        .matches("team/zero-rename-demo-\\d{8}-\\d{6}/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--endpoint=http://minio:9000 | --endpoint needs --bucket",
        "--bucket=some-bucket | --bucket, --region and --yes need --endpoint",
        "--yes | --bucket, --region and --yes need --endpoint",
        "--endpoint=minio:9000 --bucket=some-bucket | 'minio:9000'",
        "--endpoint=s3://minio --bucket=some-bucket | 's3://minio'",
        "--endpoint=http://minio/path --bucket=some-bucket | 'http://minio/path'",
        "--endpoint=http:// --bucket=some-bucket | 'http://'",
        "--endpoint=http://minio --bucket=s3://some-bucket | 's3://some-bucket'",
        "--endpoint=http://minio --bucket=A | 'A'",
        "--endpoint | needs a value",
      })
  void whatIsWrongIsNamed(String line, String message) {
    assertThatThrownBy(() -> read(line.strip().split(" ")))
        .isInstanceOf(InvalidOptionException.class)
        .hasMessageContaining(message);
  }
}
