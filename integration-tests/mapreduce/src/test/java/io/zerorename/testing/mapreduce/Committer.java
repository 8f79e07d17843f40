package io.zerorename.testing.mapreduce;

import io.zerorename.testing.docs.SourceTree;
import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** What a user sets to have jobs commit to S3 in one way or another. */
enum Committer {
  /** Ours, by the files that users copy, as they are. */
  ZERO_RENAME {
    @Override
    Configuration in(Configuration conf) {
      conf.addResource(new Path(new File(EXAMPLES, "core-site.xml").toURI()));
      conf.addResource(new Path(new File(EXAMPLES, "mapred-site.xml").toURI()));
      return conf;
    }
  },

  /** Ours on a cluster that has nothing but S3 to keep records on. */
  ZERO_RENAME_ON_S3_ALONE {
    @Override
    Configuration in(Configuration conf) {
      conf.set("zerorename.work.dir", "s3a://" + MapReduceCluster.BUCKET + "/records");
      return ZERO_RENAME.in(conf);
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
  },

  /** The same with its own optimisation: what a task has written is remembered, not stored. */
  S3A_MAGIC_IN_MEMORY {
    @Override
    Configuration in(Configuration conf) {
      conf.setBoolean("fs.s3a.committer.magic.track.commits.in.memory.enabled", true);
      return S3A_MAGIC.in(conf);
    }
  };

  private static final File EXAMPLES = SourceTree.root().resolve("conf-examples").toFile();

  /** Changes a configuration and returns it. */
  abstract Configuration in(Configuration conf);
}
