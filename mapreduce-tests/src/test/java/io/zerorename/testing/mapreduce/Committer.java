package io.zerorename.testing.mapreduce;

import org.apache.hadoop.conf.Configuration;

/** What a user sets to have jobs commit to S3 in one way or another. */
enum Committer {
  /** S3A's committer of the same idea, as its documentation switches it on. */
  S3A_MAGIC {
    @Override
    Configuration in(Configuration conf) {
      conf.set(
          "mapreduce.outputcommitter.factory.scheme.s3a",
          "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory");
      conf.set("fs.s3a.committer.name", "magic");
      return conf;
    }
  };

  /** Changes a configuration and returns it. */
  abstract Configuration in(Configuration conf);
}
