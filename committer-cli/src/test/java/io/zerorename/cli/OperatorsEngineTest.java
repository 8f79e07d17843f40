package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.OutputJob;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which records of a job a plan can name: whoever may write to the bucket can have written it. */
class OperatorsEngineTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final String ID = "job-1";

  @TempDir java.nio.file.Path directory;

  private final Configuration conf = new Configuration();
  private final OperatorsEngine engine =
      new OperatorsEngine(path -> null, conf, Set.of(TABLE), false, CommitProgress.NONE);

  private static OutputJob job(Path records) {
    return new OutputJob(ID, "a job", TABLE, List.of(TABLE), false, Optional.of(records), Map.of());
  }

  private static String user() throws IOException {
    return "zerorename-" + UserGroupInformation.getCurrentUser().getShortUserName();
  }

  private Path made(String name) throws IOException {
    Path root = new Path(directory.toUri().toString(), name);
    Path records = new Path(WorkDirectory.of(root, conf).open(), ID);
    FileSystem.getLocal(conf).mkdirs(records);
    return records;
  }

  @Test
  void theUsersOwnAreTaken() throws IOException {
    assertThat(engine.records(job(made(user())))).isPresent();
  }

  @Test
  void othersAreNot() throws IOException {
    assertThat(engine.records(job(made("zerorename-another")))).isEmpty();
    assertThat(engine.records(job(new Path("file:///")))).isEmpty();
  }

  /** It would say whatever its owner wants, and is not even connected to. */
  @Test
  void thoseOfAFileSystemThatThePlanBringsAreNot() throws IOException {
    Path elsewhere = new Path("hdfs://elsewhere.invalid:8020/" + user() + "/jobs/" + ID);
    assertThat(engine.records(job(elsewhere))).isEmpty();
    conf.set("zerorename.work.dir", "hdfs://cluster.invalid:8020/work");
    assertThat(engine.records(job(elsewhere))).isEmpty();
    assertThat(engine.records(job(made(user())))).isEmpty();
  }
}
