package io.zerorename.core.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ProcessShareTest {
  private static final long LIMIT = 10;

  private final ProcessShare share = new ProcessShare(LIMIT);

  @Test
  void usersTakeNoMoreTogetherThanThereIs() {
    ProcessShare.User one = share.user();
    ProcessShare.User other = share.user();
    assertThat(one.tryTake(6)).isTrue();
    assertThat(other.tryTake(5)).isFalse();
    assertThat(other.tryTake(4)).isTrue();
    assertThat(one.tryTake(1)).isFalse();
    assertThat(share.used()).isEqualTo(LIMIT);

    one.giveBack(3);
    assertThat(other.tryTake(4)).isFalse();
    assertThat(other.tryTake(3)).isTrue();

    other.giveBackAll();
    assertThat(one.tryTake(7)).isTrue();
    assertThat(one.tryTake(1)).isFalse();
  }

  @Test
  void aUserMayBringALimit() {
    ProcessShare.User user = share.user();
    assertThat(user.tryTake(2, 1)).isFalse();
    assertThat(user.tryTake(2 * LIMIT, 2 * LIMIT)).isTrue();
    assertThat(share.user().tryTake(1)).isFalse();
  }

  @Test
  void noUserGivesBackMoreThanItHasTaken() {
    ProcessShare.User user = share.user();
    share.user().tryTake(5);
    user.tryTake(2);
    assertThatThrownBy(() -> user.giveBack(3)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void threadsThatBeginAndEndTogetherStayBelowTheLimitAndGiveAllBack() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Callable<Void> user =
        () -> {
          ProcessShare.User mine = share.user();
          for (int i = 0; i < 2_000; i++) {
            if (mine.tryTake(3)) {
              most.accumulateAndGet(taken.addAndGet(3), Math::max);
              Thread.onSpinWait();
              taken.addAndGet(-3);
              mine.giveBack(3);
            } else {
              Thread.onSpinWait();
            }
          }
          return null;
        };
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (Future<Void> ended : threads.invokeAll(Collections.nCopies(8, user))) {
        ended.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(most.get()).isBetween(3, 9);
    assertThat(share.user().tryTake(LIMIT)).isTrue();
  }

  @Test
  void whatADroppedUserHasTakenIsFreeOnceItIsCollected() throws Exception {
    takeAndDrop();
    ProcessShare.User next = share.user();
    awaitCollected(() -> next.tryTake(LIMIT));
  }

  private void takeAndDrop() {
    assertThat(share.user().tryTake(LIMIT)).isTrue();
  }

  private static void awaitCollected(BooleanSupplier collected) throws InterruptedException {
    long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!collected.getAsBoolean()) {
      assertThat(System.nanoTime()).as("not collected").isLessThan(giveUp);
      System.gc();
      Thread.sleep(10);
    }
  }
}
