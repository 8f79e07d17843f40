package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of the bucket that an INSERT writes to. */
class BucketRulesTest {
  private static final HiveConf DEFAULTS = new HiveConf();

  private final HiveConf conf = new HiveConf(DEFAULTS);

  @ParameterizedTest
  @CsvSource({
    "zerorename.bucket.other.hive.enabled,              false,   DISABLED",
    "fs.s3a.multipart.uploads.enabled,                  FALSE,   MULTIPART_OFF",
    "fs.s3a.bucket.other.multipart.uploads.enabled,     false,   MULTIPART_OFF",
    "fs.s3a.encryption.algorithm,                       cse-kms, CLIENT_SIDE_ENCRYPTION",
    "fs.s3a.bucket.other.encryption.algorithm,          CSE-KMS, CLIENT_SIDE_ENCRYPTION",
    "fs.s3a.server-side-encryption-algorithm,           CSE-KMS, CLIENT_SIDE_ENCRYPTION",
  })
  void settingIsARule(String key, String value, FallbackReason reason) {
    conf.set(key, value);
    assertThatThrownBy(() -> check(true))
        .isInstanceOfSatisfying(Fallback.class, it -> assertThat(it.reason()).isEqualTo(reason));
  }

  @ParameterizedTest
  @CsvSource({
    "zerorename.bucket.third.hive.enabled,           false,   true",
    "fs.s3a.bucket.third.multipart.uploads.enabled,  false,   true",
    "fs.s3a.bucket.third.encryption.algorithm,       CSE-KMS, true",
    "fs.s3a.bucket.other.encryption.algorithm,       SSE-KMS, true",
    "fs.trash.interval,                              0,       true",
    "fs.trash.interval,                              60,      false",
    "hive.repl.cm.enabled,                           true,    false",
  })
  void settingOfAnotherBucketOrWithoutOverwriteIsNone(String key, String value, boolean overwrites)
      throws Fallback {
    conf.set(key, value);
    check(overwrites);
  }

  /** The setting of the bucket wins. */
  @Test
  void bucketMayAllowWhatOthersDoNot() throws Fallback {
    conf.set("zerorename.hive.enabled", "false");
    conf.set("zerorename.bucket.other.hive.enabled", "true");
    conf.set("fs.s3a.encryption.algorithm", "CSE-KMS");
    conf.set("fs.s3a.bucket.other.encryption.algorithm", "AES256");
    conf.set("fs.trash.interval", "60");
    conf.set("zerorename.bucket.other.hive.trash", "delete");
    check(true);
  }

  private void check(boolean overwrites) throws Fallback {
    BucketRules rules = new BucketRules(conf, "other");
    rules.checkEnabled();
    rules.checkSettings();
    rules.checkUploads();
    if (overwrites) {
      rules.checkDeletion(new Table("default", "t"));
    }
  }
}
