package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lets every call of a job go wrong in every way, one after the other: each request to the store
 * and each call of the cluster file system, from the job's setup to the note of its end. Whatever
 * happens, the table has all of the job or nothing of it once a recovery has run.
 *
 * <p>All ways at each call, and two faults in one run, take minutes and are thorough. Two of the
 * tests that are not strike each call of every scenario in one way.
 *
 * <p>The least numbers of runs are a tenth below those of today: the committer may save calls.
 */
class FaultSweepTest {
  private static final Variant AWS = Variant.aws();
  private static final Variant COMPLETES_ONCE = AWS.withSecondCompleteRefused();
  private static final Variant EXACT_KEY = COMPLETES_ONCE.withUploadsListedByExactKey();

  private static List<FaultSetting> onAws() {
    return settings("AWS", AWS);
  }

  private static List<FaultSetting> exactKey() {
    return settings("uploads listed by exact key", EXACT_KEY);
  }

  private static List<FaultSetting> abortsNotFenced() {
    return settings("aborts not fenced", AWS.withPartsAcceptedAfterAbort());
  }

  private static List<FaultSetting> settings(String store, Variant variant) {
    return Arrays.stream(JobKind.values())
        .map(job -> new FaultSetting(job, store, variant))
        .toList();
  }

  /** Each of what may come behind each open entry, in all of its directories and in a part. */
  private static List<OpenEntrySetting> behindOpenEntries(
      String store, Variant variant, int... diesBefore) {
    List<OpenEntrySetting> settings = new ArrayList<>();
    for (int change : diesBefore) {
      for (Role open : List.of(Role.APPEND, Role.OVERWRITE)) {
        for (Role behind : List.of(Role.APPEND, Role.OVERWRITE, Role.STATEMENT, Role.GIVE_UP)) {
          for (boolean whole : behind == Role.GIVE_UP ? List.of(true) : List.of(true, false)) {
            settings.add(new OpenEntrySetting(open, change, behind, whole, store, variant));
          }
        }
      }
    }
    return settings;
  }

  @Test
  void oneFaultForEachCallOfEveryScenario() {
    List<FaultSetting> settings = new ArrayList<>(onAws());
    // Each job on one of two further stores, in turn.
    List<FaultSetting> exactKey = exactKey();
    List<FaultSetting> notFenced = abortsNotFenced();
    IntStream.range(0, exactKey.size())
        .forEach(job -> settings.add((job % 2 == 0 ? exactKey : notFenced).get(job)));
    oneFaultForEachCall(settings, 1_430);
  }

  @Test
  void oneFaultForEachCallBehindAnOpenEntryThatDiedHalfWay() {
    // Of two scenarios that differ only in whether all directories are concerned, one each.
    List<OpenEntrySetting> settings =
        behindOpenEntries("a store that completes once", COMPLETES_ONCE, 2).stream()
            .filter(it -> it.behind() == Role.GIVE_UP || it.whole() == (it.open() == Role.APPEND))
            .toList();
    oneFaultForEachCall(settings, 400);
  }

  /** Until the process ends, as long as it may try; the next one finds the store as it was. */
  @Test
  void anOutageFromEachCallOn() {
    FaultSweep sweep = new FaultSweep();
    List<FaultSetting> settings =
        List.of(
            new FaultSetting(JobKind.OVERWRITE_PARTITIONS, "AWS", AWS),
            new FaultSetting(JobKind.INLINED_OVERWRITE, "exact key", EXACT_KEY));
    settings.parallelStream()
        .forEach(it -> sweep.everyFault(it, EnumSet.of(Kind.OUTAGE, Kind.ANSWERS_LOST)));
    sweep.assertPassed(120);
  }

  @Test
  @Tag("thorough")
  void everyFaultAtEveryCall() {
    everyFault(onAws(), 5_700);
    everyFault(exactKey(), 6_000);
    everyFault(abortsNotFenced(), 5_700);
    everyFault(behindOpenEntries("AWS", AWS, 2), 6_600);
  }

  @Test
  @Tag("thorough")
  void oneFaultForEachCallBehindAnOpenEntryThatDiedAnywhere() {
    List<OpenEntrySetting> settings = behindOpenEntries("AWS", AWS, 1, 3, 4, 5);
    settings.addAll(behindOpenEntries("a store that completes once", COMPLETES_ONCE, 2, 4));
    oneFaultForEachCall(settings, 3_350);
  }

  /** Nearly half of the second faults strike: after a first fault a job often makes fewer calls. */
  @Test
  @Tag("thorough")
  void pairsOfFaultsInASmallJobAndItsRecovery() {
    FaultSweep sweep = new FaultSweep();
    sweep.pairs(new FaultSetting(JobKind.SMALL, "AWS", AWS));
    sweep.assertPassed(4_300);
    assertThat(sweep.secondStruck()).as("runs struck twice").isGreaterThanOrEqualTo(1_600);
  }

  private static void oneFaultForEachCall(List<? extends FaultScenario> settings, long minRuns) {
    FaultSweep sweep = new FaultSweep();
    IntStream.range(0, settings.size())
        .parallel()
        .forEach(number -> sweep.oneFaultForEachCall(settings.get(number), number));
    sweep.assertPassed(minRuns);
  }

  private static void everyFault(List<? extends FaultScenario> settings, long minRuns) {
    FaultSweep sweep = new FaultSweep();
    settings.parallelStream().forEach(sweep::everyFault);
    sweep.assertPassed(minRuns);
  }
}
