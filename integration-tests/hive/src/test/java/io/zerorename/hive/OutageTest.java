package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * S3 fails at some request of an INSERT OVERWRITE, and from then on until the statement has ended.
 * Then it works again: all rows are those before or all are those after, and the next INSERT leaves
 * nothing of the broken one.
 */
@Tag("thorough")
class OutageTest {
  /** How S3 fails. */
  enum Outage {
    ERROR,
    BUCKET_GONE,
    /** The server does what it is asked for, and nobody hears of it. */
    LOST_ANSWERS;

    Fault fault() {
      return switch (this) {
        case ERROR -> Fault.refuse(500, "InternalError");
        case BUCKET_GONE -> Fault.refuse(404, "NoSuchBucket");
        case LOST_ANSWERS -> Fault.loseAnswer();
      };
    }
  }

  private static final List<String> BEFORE = List.of("100/1", "200/2", "300/3");
  private static final List<String> AFTER = List.of("10/1", "20/2", "300/3");

  private static int tables;

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @ParameterizedTest
  @CsvSource({"LOST_ANSWERS, DECIDE", "ERROR, DECIDE", "BUCKET_GONE, COMPLETE"})
  void rowsAreThoseBeforeOrThoseAfter(Outage outage, CommitStep step) throws Exception {
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    tables++;
    String table = "outage_" + tables;
    s3.createPartitioned(table);
    String overwrite = "insert overwrite table " + table + " partition (p) values ";
    s3.hive().execute(overwrite + "(100, 1), (200, 2), (300, 3)");

    s3.server().gateway().faults(from(step, table, outage.fault()));
    Throwable failure = catchThrowable(() -> s3.hive().execute(overwrite + "(10, 1), (20, 2)"));
    s3.server().gateway().faults(FaultRule.NONE);
    String told = s3.hive().console();
    assertThat(told)
        .containsPattern(
            failure == null
                ? "committed INSERT OVERWRITE"
                : "was not committed|it is unknown whether it is committed"
                    + "|is committed, but could not be completed"
                    + "|failed after its data was committed");
    List<String> seen = rows(table);
    assertThat(List.of(BEFORE, AFTER))
        .as("old files go when all new ones are there: %s, %s", seen, told)
        .anyMatch(seen::containsAll);

    s3.hive().execute("insert into " + table + " partition (p) values (9, 9)");
    s3.awaitBackgroundWork();

    List<String> rows = rows(table);
    assertThat(rows).as(told).isIn(BEFORE, AFTER);
    assertThat(failure != null || rows.equals(AFTER)).as("what was told: %s", told).isTrue();
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("4");
    assertThat(s3.bucket().files(table + "/")).hasSize(4);
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
    // Where the failed statement could not read the log, it must not abort its uploads.
    if (outage != Outage.ERROR) {
      assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
    }
  }

  /** Without that of the last INSERT. */
  private List<String> rows(String table) throws Exception {
    return s3.hive().execute("select concat(a, '/', p) from " + table + " where p < 9 order by p");
  }

  /** What Hive itself asks for beside the partitions does not fail: it would ask for minutes. */
  private static FaultRule from(CommitStep step, String table, Fault fault) {
    AtomicBoolean broken = new AtomicBoolean();
    return request -> {
      if (step.sends(request, table)) {
        broken.set(true);
      }
      String place = request.prefix().orElse(request.key());
      return broken.get()
              && (place.startsWith(table + "/p=")
                  || place.startsWith("_zerorename/")
                  || place.isEmpty())
          ? Optional.of(fault)
          : Optional.empty();
    };
  }
}
