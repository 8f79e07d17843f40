package io.zerorename.core.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.SessionClassLoader;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
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

  private final String name = UUID.randomUUID().toString();
  private final ProcessShare share = ProcessShare.of(name, LIMIT);

  @Test
  void usersTakeNoMoreTogetherThanThereIs() {
    ProcessShare.User one = share.user();
    ProcessShare.User other = ProcessShare.of(name, LIMIT).user();
    assertThat(one.tryTake(6)).isTrue();
    assertThat(other.tryTake(5)).isFalse();
    assertThat(other.tryTake(4)).isTrue();
    assertThat(one.tryTake(1)).isFalse();

    one.giveBack(3);
    assertThat(other.tryTake(4)).isFalse();
    assertThat(other.tryTake(3)).isTrue();

    other.giveBackAll();
    assertThat(one.tryTake(7)).isTrue();
    assertThat(one.tryTake(1)).isFalse();
  }

  @Test
  void anotherNameIsAnotherLimit() {
    assertThat(share.user().tryTake(LIMIT)).isTrue();
    assertThat(ProcessShare.of(name + "!", LIMIT).user().tryTake(LIMIT)).isTrue();
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
          ProcessShare.User mine = ProcessShare.of(name, LIMIT).user();
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

  @Test
  void classLoadersOfOneProcessShareOneLimit() throws Exception {
    try (SessionClassLoader first = new SessionClassLoader();
        SessionClassLoader second = new SessionClassLoader()) {
      Object theirs = user(first);
      assertThat(theirs).isNotInstanceOf(ProcessShare.User.class);
      assertThat(tryTake(theirs, 6)).isTrue();
      assertThat(tryTake(user(second), 5)).isFalse();
      assertThat(share.user().tryTake(5)).isFalse();
      assertThat(share.user().tryTake(4)).isTrue();

      theirs.getClass().getMethod("giveBackAll").invoke(theirs);
      assertThat(tryTake(user(second), 6)).isTrue();
    }
  }

  @Test
  void aShareKeepsNoClassLoaderInMemoryAndFreesWhatItsClassesHadTaken() throws Exception {
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    String another = UUID.randomUUID().toString();
    for (int i = 0; i < 2; i++) {
      // The first has also registered what the others find.
      loaders.add(takeInAnotherLoader(another));
    }
    ProcessShare.User next = ProcessShare.of(another, LIMIT).user();
    assertThat(next.tryTake(LIMIT)).isFalse();

    awaitCollected(() -> loaders.stream().allMatch(loader -> loader.get() == null));
    assertThat(next.tryTake(LIMIT)).isTrue();
  }

  private static WeakReference<ClassLoader> takeInAnotherLoader(String name) throws Exception {
    try (SessionClassLoader loader = new SessionClassLoader()) {
      Object user = user(loader, name);
      assertThat(tryTake(user, LIMIT / 2)).isTrue();
      return new WeakReference<>(loader);
    }
  }

  private Object user(ClassLoader loader) throws Exception {
    return user(loader, name);
  }

  private static Object user(ClassLoader loader, String name) throws Exception {
    Class<?> theirs = loader.loadClass(ProcessShare.class.getName());
    Object share = theirs.getMethod("of", String.class, long.class).invoke(null, name, LIMIT);
    return theirs.getMethod("user").invoke(share);
  }

  private static boolean tryTake(Object user, long amount) throws Exception {
    return (Boolean) user.getClass().getMethod("tryTake", long.class).invoke(user, amount);
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
