package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A user with rights on one table, on that table's own log and on the place of the daily checks, in
 * a bucket where S3 refuses everything else.
 */
class LeastRightsTest {
  private static final Path TABLE = new Path("s3a://warehouse/rights/t");

  /** Of the bucket, and without a key: the policy has conditions on what a listing names. */
  private static final Set<RequestType> WITHOUT_KEY =
      Set.of(RequestType.HEAD_BUCKET, RequestType.DELETE_OBJECTS);

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();
  private final Queue<String> refused = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void onlyOneTable() throws Exception {
    s3.hive()
        .execute(
            "create external table rights_t (a int) partitioned by (p int) stored as orc location '"
                + TABLE
                // Else Hive does not truncate it.
                + "' tblproperties ('external.table.purge'='true')");
    s3.bucket().write("rights/other/file", new byte[1]);
    List<String> allowed = allowed();
    s3.faults(
        request -> {
          if (isAllowed(request, allowed)) {
            return Optional.empty();
          }
          refused.add(request.toString());
          return Optional.of(Fault.refuse(403, "AccessDenied"));
        });
  }

  @AfterEach
  void dropTable() throws Exception {
    s3.reset();
    s3.hive().execute("drop table rights_t");
    s3.bucket().clear("rights/");
  }

  private List<String> allowed() throws Exception {
    try (S3AObjectStores stores = new S3AObjectStores(s3.hive().conf())) {
      Path log = new CommitLogs(stores, s3.hive().conf()).of(TABLE).directory();
      return List.of(
          ObjectKeys.prefixOf(TABLE),
          ObjectKeys.prefixOf(log),
          ObjectKeys.prefixOf(new Path(log.getParent(), "checks")));
    }
  }

  private static boolean isAllowed(S3Request request, List<String> allowed) {
    if (WITHOUT_KEY.contains(request.type())) {
      return true;
    }
    return Stream.concat(
            Stream.of(request.key()).filter(key -> !key.isEmpty()), request.prefix().stream())
        // A HEAD of a directory has no slash.
        .anyMatch(key -> allowed.stream().anyMatch(prefix -> (key + "/").startsWith(prefix)));
  }

  @Test
  void everyStatementIsCommittedWithRightsOnTheTableAndItsOwnLogAlone() throws Exception {
    s3.hive().execute("insert into rights_t partition (p) values (1, 1), (2, 2)");
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO");
    s3.hive().execute("insert overwrite table rights_t partition (p) values (3, 1)");
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    s3.hive().set("zerorename.inline.max.bytes", "0");
    s3.hive().execute("insert into rights_t partition (p) values (4, 1)");
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT INTO");
    s3.hive().execute("truncate table rights_t partition (p=2)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().execute("select a, p from rights_t order by a"))
        .containsExactly("3\t1", "4\t1");
    assertThat(refused).isEmpty();
    assertThat(s3.bucket().files("rights/_zerorename/"))
        .as("the log is on S3")
        .anyMatch(key -> key.contains(TableLog.ENTRY));
  }
}
