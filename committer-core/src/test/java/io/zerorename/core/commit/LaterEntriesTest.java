package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What is known of the entries after one. */
class LaterEntriesTest extends OpenCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");
  private static final Path DAY_2 = new Path(TestJob.TABLE, "day=2");
  private static final Path DAY_3 = new Path(TestJob.TABLE, "day=3");

  private LogEntry decide(String id, Overwrite overwrite, String... files) throws IOException {
    return job(id).task("a", files).decideAndDie(overwrite, ELSEWHERE);
  }

  private LaterEntries than(LogEntry entry) throws IOException {
    return LaterEntries.than(entry.number(), job.log());
  }

  @Test
  void theDirectoriesThatTheyReplaceAreKnownByNumber() throws IOException {
    LogEntry earlier = decide("earlier", Overwrite.directoriesOfFiles(), "day=1/0");
    LogEntry target = decide("target", Overwrite.directoriesOfFiles(), "day=2/0");
    decide("adds", Overwrite.none(), "day=1/0");
    LogEntry both = decide("both", Overwrite.directoriesOfFiles(), "day=2/0", "day=3/0");
    LogEntry last = decide("last", Overwrite.directoriesOfFiles(), "day=1/0");

    LaterEntries later = than(target);

    assertThat(later.replace(DAY_1)).isTrue();
    assertThat(later.replace(DAY_2)).isTrue();
    assertThat(later.replace(new Path(DAY_3, "hour=1"))).isTrue();
    assertThat(later.replace(new Path(TestJob.TABLE, "day=4"))).isFalse();
    assertThat(later.replace(TestJob.TABLE)).isFalse();
    assertThat(later.replacedBefore(both.number()).isEmpty()).isTrue();
    assertThat(later.replacedBefore(last.number()).paths()).containsExactly(DAY_2, DAY_3);
    assertThat(later.replacedWith(List.of(DAY_2))).containsExactly(DAY_2, DAY_3);
    assertThat(later.replacedWith(List.of(DAY_1))).containsExactly(DAY_1);
    assertThat(later.isCut()).isFalse();
    assertThat(later.forceClosed()).isFalse();
    assertThat(than(earlier).replace(DAY_1)).isTrue();
    assertThat(than(last).replace(DAY_1)).isFalse();
  }

  @Test
  void whoseNameSaysThatItReplacesNothingIsNotRead() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0");
    job.log().end(decide("adds", Overwrite.none(), "day=1/0"), Ending.COMPLETE, EndNote.NOTHING);
    job.log()
        .end(
            decide("replaces", Overwrite.directoriesOfFiles(), "day=1/0"),
            Ending.COMPLETE,
            EndNote.NOTHING);
    decide("open", Overwrite.none(), "day=1/0");
    store.resetCounts();
    assertThat(than(target).replace(DAY_1)).isTrue();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.GET, 2L));
  }

  @Test
  void theyTellWhetherItIsGivenUp() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0");
    LogEntry other = decide("other", Overwrite.none(), "day=1/0");
    job.log().forceClose(other, job.log().tail());
    assertThat(than(target).forceClosed()).isFalse();
    LogEntry forceClosed = job.log().forceClose(target, job.log().tail());
    assertThat(than(target).forceClosed()).isTrue();
    job.log().end(forceClosed, Ending.COMPLETE, EndNote.NOTHING);
    assertThat(than(target).forceClosed()).isTrue();
  }

  @Test
  void theyTellWhetherItIsCut() throws IOException {
    LogEntry target = decide("target", Overwrite.none(), "day=1/0");
    job.log().end(target, Ending.SUPERSEDED, EndNote.NOTHING);
    store.pass(Duration.ofDays(8));
    decide("later", Overwrite.none(), "day=1/0");
    job.log().cut(store.now().minus(Duration.ofDays(7)));
    assertThat(than(target).isCut()).isTrue();
  }
}
