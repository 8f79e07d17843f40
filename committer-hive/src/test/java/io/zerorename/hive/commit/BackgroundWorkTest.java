package io.zerorename.hive.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundWorkTest {
  @Test
  void workThatCouldNotBeginDoesNotKeepItsNameFromLaterWork() throws Exception {
    assertThatThrownBy(() -> BackgroundWork.begin("work", null, () -> {}))
        .isInstanceOf(RuntimeException.class);
    CountDownLatch ran = new CountDownLatch(1);

    BackgroundWork.begin("work", BackgroundWork.BRIEFLY, ran::countDown);

    assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void workBeginsAgainAfterTheClockWasSetBack() throws Exception {
    long ended = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
    System.setProperty("io.zerorename.background.again", Long.toString(ended));
    CountDownLatch ran = new CountDownLatch(1);

    BackgroundWork.begin("again", BackgroundWork.BRIEFLY, ran::countDown);

    assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
