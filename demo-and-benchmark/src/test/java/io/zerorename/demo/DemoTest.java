package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.report.JavaProgram;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole demo in a process of its own, as the script starts it. */
class DemoTest {
  @TempDir Path directory;

  private JavaProgram demo;

  @BeforeEach
  void output() {
    demo = new JavaProgram(Demo.class, "demo", directory);
  }

  @Test
  void aFewPartitionsAreComparedAndReported() throws Exception {
    int code = demo.run("--partitions", "3");

    assertThat(code).as(demo.console()).isZero();

    assertThat(demo.console())
        .contains("every check held", "zero-rename: committed INSERT OVERWRITE")
        .doesNotContain("FAILED");
    JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    assertThat(json.get("rowsEqual").booleanValue()).isTrue();
    assertThat(json.get("statsEqual").booleanValue()).isTrue();
    JsonNode ours = json.get("zerorename");
    assertThat(ours.get("files").intValue()).isEqualTo(3);
    assertThat(ours.get("copyRequests").intValue()).isZero();
    for (String type : List.of("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")) {
      assertThat(ours.get("requests").get(type).intValue()).as(type).isEqualTo(3);
    }
    assertThat(ours.get("requests").get("PutObject").intValue())
        .as("the decision, the end, the staging directory")
        .isEqualTo(3);
    assertThat(json.get("stock").get("copyRequests").intValue()).isPositive();
    assertThat(json.get("stock").get("requestsTotal").intValue())
        .isGreaterThan(5 * ours.get("requestsTotal").intValue());
    assertThat(directory.resolve("report.html")).content().contains("Hive on Tez", "Chart.js v");
    assertThat(directory.resolve("demo.log")).isNotEmptyFile();
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "--partitions 3 --merge --tasks 1, 3, stockScratch",
    "--partitions 0 --tasks 3, 3, stockScratch",
    "--partitions 2 --merge --tasks 2 --engine mr, 2, stockScratch",
    "--partitions 0 --tasks 3 --format text --engine spark, 3, stockV2"
  })
  void eachShapeIsTheSameInEveryWay(String options, int files, String remedy) throws Exception {
    int code = demo.run(options.split(" "));

    assertThat(code).as(demo.console()).isZero();
    assertThat(demo.console()).contains("every check held").doesNotContain("FAILED");
    JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    for (String way : List.of("stock", remedy, "zerorename")) {
      assertThat(json.get(way).get("files").intValue()).as(way).isEqualTo(files);
      assertThat(json.get(way).get("rows").intValue()).as(way).isPositive();
    }
    assertThat(json.get("stock").get("copyRequests").intValue()).isPositive();
    assertThat(json.get("zerorename").get("copyRequests").intValue()).isZero();
    assertThat(json.get(remedy).get("requestsTotal").intValue())
        .isGreaterThan(json.get("zerorename").get("requestsTotal").intValue());
  }

  @Tag("thorough")
  @Test
  void sparkIsComparedWithItsOwnProtocols() throws Exception {
    int code = demo.run("--engine", "spark", "--partitions", "3");

    assertThat(code).as(demo.console()).isZero();

    assertThat(demo.console())
        .contains("every check held", "zero-rename: committed the output of Spark job")
        .doesNotContain("FAILED");
    JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    assertThat(json.get("rowsEqual").booleanValue()).isTrue();
    JsonNode ours = json.get("zerorename");
    assertThat(ours.get("files").intValue()).isEqualTo(3);
    assertThat(ours.get("copyRequests").intValue()).isZero();
    assertThat(ours.get("requestsTotal").intValue())
        .as("3 of each file, 5 of a write, 2 of Spark's own, list and delete of the old files")
        .isEqualTo(18);
    for (String stock : List.of("stock", "stockV2")) {
      assertThat(json.get(stock).get("copyRequests").intValue()).as(stock).isPositive();
      assertThat(json.get(stock).get("requestsTotal").intValue())
          .as(stock)
          .isGreaterThan(5 * ours.get("requestsTotal").intValue());
    }
    assertThat(directory.resolve("spark.log")).isNotEmptyFile();
  }

  @Tag("thorough")
  @Tag("stores")
  @Test
  void aRunOnAnyS3SaysWhatItCostsAndLeavesNothing() throws Exception {
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      BucketContents bucket = server.createBucket("theirs");
      bucket.write("team/data", new byte[] {1});

      int code =
          demo.run(
              "--partitions=3",
              "--endpoint=" + server.endpoint(),
              "--bucket=theirs/team",
              "--region=" + EmbeddedS3Server.REGION,
              "--yes");

      assertThat(code).as(demo.console()).isZero();
      assertThat(demo.console())
          .contains("every check held", "bucket theirs: some 900 requests, some $0.0045")
          .containsPattern("Cost: \\d{3,} requests in all, \\$0\\.00\\d\\d by the list prices");
      JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
      assertThat(json.get("machine").get("endpoint").textValue())
          .isEqualTo(server.endpoint().toString());
      assertThat(json.get("cost").get("dollars").doubleValue())
          .isBetween(0.0005, json.get("cost").get("estimatedDollars").doubleValue());
      assertThat(json.get("stock").get("copyRequests").intValue()).isPositive();
      assertThat(json.get("stock").get("bytesCopied").intValue()).isPositive();
      assertThat(bucket.objects("")).isEqualTo(Map.of("team/data", 1L));
      assertThat(bucket.pendingUploads("")).isEmpty();
      assertThat(server.gateway().counts().total())
          .as("all of it went there")
          .isGreaterThan(json.get("stock").get("requestsTotal").longValue());
    }
  }

  @Test
  void aBadOptionIsAnsweredBeforeAnythingStarts() throws Exception {
    assertThat(demo.run("--tasks", "-1")).isEqualTo(2);

    assertThat(demo.console()).contains("--tasks", "'-1'").hasLineCount(1);
    assertThat(directory.resolve("demo.log")).doesNotExist();
  }
}
