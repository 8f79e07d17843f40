package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One task that writes to hundreds of partitions at once, in the heap of a usual container. */
@Tag("thorough")
class OpenWritersTest {
  private static final Pattern SPILLED = Pattern.compile("(\\d+) private files in .*");

  @ParameterizedTest
  @ValueSource(strings = {"disk", "bytebuffer"})
  void fiveHundredOpenPartitionWritersFitIntoAHeapOfOneGigabyte(
      String buffer, @TempDir File directory) throws Exception {
    List<File> localDirectories = List.of(new File(directory, "a"), new File(directory, "b"));
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      BucketContents bucket = server.createBucket("writers");
      Path table = new Path("s3a://writers/t");
      List<String> arguments = new ArrayList<>();
      arguments.add(table.toString());
      arguments.add(new File(directory, "job-1").toURI().toString());
      // With Hadoop's own fs.s3a.buffer.dir, which are YARN's local directories.
      server.hadoopSettings().forEach((key, value) -> arguments.add(key + "=" + value));
      arguments.add("fs.s3a.fast.upload.buffer=" + buffer);
      try (ChildJvm task =
          ChildJvm.start(
              ChildJvm.Command.of(OpenWriters.class)
                  .withOptions(
                      List.of("-Xmx1g", "-XX:TieredStopAtLevel=4", "-XX:+ExitOnOutOfMemoryError"))
                  .withArguments(arguments)
                  .withEnvironment(
                      Map.of(
                          "LOCAL_DIRS", localDirectories.get(0) + "," + localDirectories.get(1))),
              new File(directory, "task.log").toPath())) {
        List<String> said = task.await(0, "done"::equals, Await.LIMIT);
        List<Integer> spilled =
            said.stream()
                .map(SPILLED::matcher)
                .filter(Matcher::matches)
                .map(match -> Integer.valueOf(match.group(1)))
                .toList();
        assertThat(spilled).hasSize(2).allSatisfy(files -> assertThat(files).isPositive());
        task.awaitEnd(Await.LIMIT);
      }
      for (int number = 0; number < OpenWriters.WRITERS; number++) {
        String key = OpenWriters.file(table, number).toUri().getPath().substring(1);
        assertThat(bucket.read(key)).as(key).isEqualTo(OpenWriters.content(number));
      }
      assertThat(bucket.pendingUploads("")).isEmpty();
      assertThat(localDirectories).allSatisfy(local -> assertThat(filesIn(local)).isEmpty());
    }
  }

  private static List<File> filesIn(File directory) {
    List<File> files = new ArrayList<>();
    for (File entry : directory.listFiles()) {
      if (entry.isDirectory()) {
        files.addAll(filesIn(entry));
      } else {
        files.add(entry);
      }
    }
    return files;
  }
}
