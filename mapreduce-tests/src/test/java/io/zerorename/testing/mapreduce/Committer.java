package io.zerorename.testing.mapreduce;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** What a user sets to have jobs commit to S3 in one way or another. */
enum Committer {
  /** Ours, by the file that users copy, as it is. */
  ZERO_RENAME {
    @Override
    Configuration in(Configuration conf) {
      conf.addResource(new Path(MAPRED_SITE.toURI()));
      return conf;
    }
  },

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

  private static final File MAPRED_SITE =
      new File("../conf-examples/mapred-site.xml").getAbsoluteFile();

  /** Changes a configuration and returns it. */
  abstract Configuration in(Configuration conf);
}
