package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One task that writes to hundreds of partitions at once, in the heap of a usual container. */
@Tag("thorough")
class OpenWritersTest {
  @ParameterizedTest
  @ValueSource(strings = {"disk", "bytebuffer"})
  void fiveHundredOpenPartitionWritersFitIntoAHeapOfOneGigabyte(
      String buffer, @TempDir java.nio.file.Path directory) throws Exception {
    java.nio.file.Path local = directory.resolve("local");
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      BucketContents bucket = server.createBucket("writers");
      Path table = new Path("s3a://writers/t");
      List<String> arguments = new ArrayList<>();
      arguments.add(table.toString());
      arguments.add(directory.resolve("job-1").toUri().toString());
      // With Hadoop's own fs.s3a.buffer.dir, which is YARN's local directory.
      server.hadoopSettings().forEach((key, value) -> arguments.add(key + "=" + value));
      arguments.add("fs.s3a.fast.upload.buffer=" + buffer);
      try (ChildJvm task =
          ChildJvm.start(
              ChildJvm.Command.of(OpenWriters.class)
                  .withOptions(
                      List.of("-Xmx1g", "-XX:TieredStopAtLevel=4", "-XX:+ExitOnOutOfMemoryError"))
                  .withArguments(arguments)
                  .withEnvironment(Map.of("LOCAL_DIRS", local.toString())),
              directory.resolve("task.log"))) {
        task.awaitEnd(Await.LIMIT);
        assertThat(task.exitCode()).as(task.lastOutput()).isZero();
      }
      for (int number = 0; number < OpenWriters.WRITERS; number++) {
        String key = OpenWriters.file(table, number).toUri().getPath().substring(1);
        assertThat(bucket.read(key)).as(key).isEqualTo(OpenWriters.content(number));
      }
      assertThat(bucket.pendingUploads("")).isEmpty();
      try (var left = Files.walk(local)) {
        assertThat(left.filter(Files::isRegularFile)).as("spilled files").isEmpty();
      }
    }
  }
}
