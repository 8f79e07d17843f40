package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hive runs a query again whose tasks failed, in the same statement: what the first execution has
 * uploaded is aborted, and the second commits once.
 */
class ReexecutionTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void withCommitter() {
    s3.hive().set("tez.am.task.max.failed.attempts", "1");
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    s3.hive().set("hive.query.reexecution.enabled", "true");
  }

  /** The overlay runs a query again with other settings, where a vertex has failed. */
  @Test
  void secondExecutionCommitsOnceAndTheFirstLeavesNothing() throws Exception {
    String table = "reexecuted";
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");
    s3.hive().set("hive.query.reexecution.strategies", "overlay");
    s3.hive().set("reexec.overlay.zerorename.commit.threads", "4");
    AtomicBoolean failed = new AtomicBoolean();
    s3.faults(
        request ->
            FaultRule.typeUnder(RequestType.UPLOAD_PART, table + "/p=2/").test(request)
                    && failed.compareAndSet(false, true)
                ? Optional.of(new Fault.Refuse(403, "AccessDenied", "refused"))
                : Optional.empty());

    s3.hive()
        .execute(
            "insert overwrite table " + table + " partition (p) values (1, 1), (2, 2), (3, 3)");

    assertThat(failed).isTrue();
    assertThat(s3.hive().console())
        .containsOnlyOnce("was not committed; nothing of it is visible")
        .containsOnlyOnce("zero-rename: committed INSERT");
    assertThat(s3.hive().execute("select a from " + table))
        .containsExactlyInAnyOrder("1", "2", "3");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.bucket().objects(table + "/").keySet()).noneMatch(key -> key.contains("staging"));
  }
}
