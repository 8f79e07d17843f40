package io.zerorename.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectStore;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DelayedStoreTest {
  private final ObjectStore store =
      DelayedStore.of(new InMemoryObjectStore("bucket"), Integer.MAX_VALUE);

  @Test
  void aRequestWaits() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> store.headObject("key")).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void whatIsNoRequestDoesNotWait() {
    assertThat(store.bucket()).isEqualTo("bucket");
    assertThat(store.now()).isNotNull();
  }
}
