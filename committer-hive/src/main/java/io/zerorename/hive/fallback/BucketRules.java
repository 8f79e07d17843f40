package io.zerorename.hive.fallback;

import io.zerorename.core.config.TrashMode;
import io.zerorename.hive.config.HiveKeys;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.utils.MetaStoreUtils;
import org.apache.hadoop.hive.ql.metadata.Table;

/** The rules about the settings of the bucket that an INSERT writes to. */
record BucketRules(HiveConf conf, String bucket) {
  void checkEnabled() throws Fallback {
    if (!HiveKeys.ENABLED.from(conf, bucket)) {
      throw new Fallback(FallbackReason.DISABLED, HiveKeys.ENABLED.nameIn(conf, bucket) + "=false");
    }
  }

  /** Reads all keys that tasks and the commit will read, so that they find no bad value. */
  void checkSettings() {
    HiveKeys.all().forEach(key -> key.find(conf, bucket));
  }

  /** S3A must allow multipart uploads with parts in any order. */
  void checkUploads() throws Fallback {
    Fallback.when(
        s3aSetting("multipart.uploads.enabled").equalsIgnoreCase("false"),
        FallbackReason.MULTIPART_OFF);
    String encryption = s3aSetting("encryption.algorithm");
    if (encryption.isEmpty()) {
      encryption = s3aSetting("server-side-encryption-algorithm");
    }
    if (encryption.regionMatches(true, 0, "CSE", 0, "CSE".length())) {
      throw new Fallback(FallbackReason.CLIENT_SIDE_ENCRYPTION, encryption);
    }
  }

  /** An overwrite deletes the files that it replaces: no Trash and no replication keeps them. */
  void checkDeletion(Table table) throws Fallback {
    if (TrashMode.isKept(conf, bucket) && !MetaStoreUtils.isSkipTrash(table.getParameters())) {
      throw new Fallback(FallbackReason.TRASH);
    }
    Fallback.when(
        conf.getBoolVar(HiveConf.getConfVars("hive.repl.cm.enabled")), FallbackReason.REPLICATION);
  }

  /** The setting of S3A for the bucket, else the one for all buckets, else "". */
  private String s3aSetting(String name) {
    String ofBucket = conf.getTrimmed("fs.s3a.bucket." + bucket + "." + name, "");
    return ofBucket.isEmpty() ? conf.getTrimmed("fs.s3a." + name, "") : ofBucket;
  }
}
