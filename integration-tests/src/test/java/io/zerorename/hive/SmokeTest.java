package io.zerorename.hive;

import io.zerorename.testing.s3server.RequestCounts;
import org.junit.jupiter.api.Test;

class SmokeTest {
  @Test
  void smoke() throws Exception {
    try (HiveOnS3 s3 = HiveOnS3.start()) {
      for (String mode : new String[] {"ours"}) {
        s3.hive().set("hive.use.scratchdir.for.staging", String.valueOf(mode.equals("scratch")));
        if (mode.equals("ours")) {
          s3.withCommitter();
        }
        s3.hive()
            .execute(
                "create external table t_"
                    + mode
                    + " (a int, b string) partitioned by (p string) stored as orc location 's3a://warehouse/"
                    + mode
                    + "'");
        for (int i = 0; i < 2; i++) {
          RequestCounts before = s3.server().gateway().counts();
          s3.hive()
              .execute(
                  "insert overwrite table t_"
                      + mode
                      + " partition (p) values (1,'x','p1'),(2,'y','p2'),(3,'z','p3'),(4,'z','p3')");
          System.out.println(mode + " " + s3.server().gateway().counts().minus(before));
          System.out.println(s3.hive().console());
        }
        System.out.println(s3.hive().execute("select * from t_" + mode));
        System.out.println(
            s3.hive().execute("select p, count(*), sum(a) from t_" + mode + " group by p"));
        System.out.println(s3.bucket().objects(""));
        System.out.println(s3.bucket().pendingUploads(""));
      }
    }
  }
}
