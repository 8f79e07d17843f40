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

  @ParameterizedTest
  @CsvSource({
    "s3.eu-west-1.amazonaws.com, eu-west-1",
    "s3-us-west-2.amazonaws.com, us-west-2",
    "s3.dualstack.us-gov-east-1.amazonaws.com, us-gov-east-1",
    "s3-fips.ca-central-1.amazonaws.com, ca-central-1",
    "s3.cn-north-1.amazonaws.com.cn, cn-north-1"
  })
  void eachKindOfRegionalHostNamesItsRegion(String host, String region) throws Exception {
    assertThat(read("--endpoint", "https://" + host, "--bucket=some-bucket").orElseThrow().region())
        .isEqualTo(region);
  }

  @Test
  void anyOtherStoreHasTheFirstRegionOfAllUnlessItIsNamed() throws Exception {
    assertThat(read("--endpoint", "HTTP://minio:9000", "--bucket", "b-1/team/x/", "--yes"))
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
    assertThat(Buckets.newDirectory("team/", "demo"))
        .matches("team/zero-rename-demo-\\d{8}-\\d{6}-[0-9a-f]{8}/");
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
        "--endpoint= --bucket=some-bucket | must be http://host",
        "--endpoint=http://minio?x=1 --bucket=some-bucket | must be http://host",
        "--endpoint=http://minio --bucket=some-bucket//x | a directory without empty names",
        "--endpoint=http://minio --bucket=some-bucket/./x | not 'some-bucket/./x'",
        "--endpoint=http://minio --bucket=some-bucket/../x | not 'some-bucket/../x'",
        "--endpoint=http://minio --bucket=some-bucket/o'x | not 'some-bucket/o'x'",
        "--endpoint=https://key:secret@minio --bucket=some-bucket | must be http://host",
        "--endpoint=https://s3.amazonaws.com --bucket=some-bucket | must be that of the bucket's region",
        "--endpoint=https://some-bucket.s3.eu-west-1.amazonaws.com --bucket=some-bucket | bucket's region",
        "--endpoint=http://minio --bucket=s3://some-bucket | 's3://some-bucket'",
        "--endpoint=http://minio --bucket=A | 'A'",
        "--endpoint | Missing required parameter",
      })
  void whatIsWrongIsNamed(String line, String message) {
    assertThatThrownBy(() -> read(line.strip().split(" ")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(message);
  }
}
