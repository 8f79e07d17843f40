package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose scratch directory is on S3, and which has another file system for our records.
 */
@Tag("thorough")
class ScratchOnS3Test {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @TempDir Path directory;

  @Test
  void manifestsAreRenamedInTheWorkDirectoryAndNotCopiedOnS3() throws Exception {
    Map<String, String> settings = new HashMap<>(s3.server().hadoopSettingsWithoutSecrets());
    settings.put("hive.exec.scratchdir", "s3a://" + HiveOnS3.BUCKET + "/scratch-of-hive");
    settings.put("zerorename.work.dir", directory.resolve("work").toUri().toString());
    settings.put("hive.semantic.analyzer.hook", ZeroRenameHook.class.getName());
    settings.put("hive.query.lifetime.hooks", ZeroRenameHook.class.getName());
    // Hive ties a session to the thread that started it.
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      thread.submit(() -> insert(settings)).get();
    } finally {
      thread.shutdownNow();
    }
  }

  private Void insert(Map<String, String> settings) throws Exception {
    try (LocalHive hive = LocalHive.start(directory, settings)) {
      hive.execute(
          "create external table on_s3_scratch (a int) partitioned by (p int) stored as orc"
              + " location 's3a://"
              + HiveOnS3.BUCKET
              + "/on_s3_scratch'");
      for (String values : List.of("(1, 1), (2, 2), (3, 3)", "(4, 2), (5, 3)")) {
        try (RequestRecording recording = s3.record()) {
          hive.execute("insert overwrite table on_s3_scratch partition (p) values " + values);

          assertThat(hive.console()).contains("zero-rename: committed INSERT OVERWRITE");
          assertThat(recording.requests())
              .filteredOn(request -> request.type() == RequestType.COPY_OBJECT)
              .noneMatch(request -> request.key().startsWith("on_s3_scratch/"))
              .as("the sink's directory")
              .noneMatch(request -> request.key().contains("-ext-10000"));
        }
      }
      assertThat(hive.execute("select * from on_s3_scratch"))
          .containsExactlyInAnyOrder("1\t1", "4\t2", "5\t3");
      assertThat(hive.execute("select count(*) from on_s3_scratch")).containsExactly("3");
    }
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    return null;
  }
}
