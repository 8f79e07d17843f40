package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a session is told about its settings, and what they do. */
class SettingsTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void createTable() throws Exception {
    s3.createOnce("settings", "(a int) stored as orc");
  }

  @Test
  void aKeyThatIsNoneIsToldOncePerSession() throws Exception {
    s3.hive().set("zerorename.hive.enable", "false");

    s3.hive().compile("insert into settings values (1)");
    assertThat(s3.hive().console())
        .containsOnlyOnce(
            "zero-rename: ZR-3203: zerorename.hive.enable is no key of the committer and has no"
                + " effect; docs/configuration.md lists the keys.");

    s3.hive().compile("insert into settings values (1)");
    assertThat(s3.hive().console()).doesNotContain("zerorename.hive.enable");
  }

  @Test
  void aBucketMayHaveSettingsOfItsOwn() throws Exception {
    s3.hive().set("zerorename.hive.enabled", "false");
    s3.hive().compile("insert into settings values (1)");
    assertThat(s3.hive().console()).contains("DISABLED", "(zerorename.hive.enabled=false)");

    s3.hive().set("zerorename.bucket.warehouse.hive.enabled", "true");
    s3.hive().set("zerorename.bucket.warehouse.inline.max.bytes", "0");
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute("insert into settings values (1)");
      assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO");
      assertThat(recording.keys(RequestType.COMPLETE_MULTIPART_UPLOAD)).hasSize(1);
    }

    s3.hive().set("zerorename.bucket.warehouse.commit.threads", "0");
    s3.hive().compile("insert into settings values (1)");
    assertThat(s3.hive().console())
        .contains("BAD_CONFIGURATION", "zerorename.bucket.warehouse.commit.threads is \"0\"");

    s3.hive().set("zerorename.hive.enabled", "true");
    s3.hive().set("zerorename.bucket.warehouse.hive.enabled", "false");
    s3.hive().compile("insert into settings values (1)");
    assertThat(s3.hive().console())
        .contains("DISABLED", "(zerorename.bucket.warehouse.hive.enabled=false)");
  }

  @Test
  void aFileForAllEnginesMayHoldTheKeysOfMapReduce() throws Exception {
    MapReduceKeys.own().forEach(key -> s3.hive().set(key.name(), "1"));

    s3.hive().compile("insert into settings values (1)");

    assertThat(s3.hive().console()).doesNotContain("no key of the committer");
  }
}
