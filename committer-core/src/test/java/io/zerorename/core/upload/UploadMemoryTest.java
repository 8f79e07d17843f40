package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class UploadMemoryTest {
  private static final int CHUNK = UploadMemory.CHUNK;

  private final UploadMemory memory = new UploadMemory();

  @Test
  void chunksAreUsedAgainAsLongAsSomebodyUploads() {
    memory.begin();
    memory.begin();
    byte[] chunk = memory.tryTake(CHUNK, CHUNK);
    memory.giveBack(chunk);
    assertThat(memory.used()).isZero();
    assertThat(memory.tryTake(CHUNK, CHUNK)).isSameAs(chunk);
    memory.giveBack(chunk);
    memory.end();
    assertThat(memory.kept()).isEqualTo(CHUNK);
    memory.end();
    assertThat(memory.kept()).isZero();
  }

  @Test
  void nothingIsKeptThatIsGivenBackAfterTheEnd() {
    byte[] chunk = memory.tryTake(CHUNK, CHUNK);
    memory.giveBack(chunk);
    assertThat(memory.kept()).isZero();
  }

  @Test
  void whatIsKeptCountsTowardsTheLimit() {
    memory.begin();
    memory.giveBack(memory.tryTake(CHUNK, 2 * CHUNK));
    assertThat(memory.tryTake(CHUNK + 1, 2 * CHUNK)).isNotNull();
    assertThat(memory.used() + memory.kept()).isEqualTo(CHUNK + 1);
    assertThat(memory.tryTake(CHUNK, 2 * CHUNK)).isNull();
    assertThat(memory.used()).isEqualTo(CHUNK + 1);
  }

  @Test
  void aForgottenChunkIsNotUsedAgain() {
    memory.begin();
    byte[] chunk = memory.tryTake(CHUNK, CHUNK);
    memory.forget(chunk);
    assertThat(memory.used()).isZero();
    assertThat(memory.tryTake(CHUNK, CHUNK)).isNotSameAs(chunk);
  }

  @Test
  void nothingCountsAsTakenThatCouldNotBeAllocated() {
    // In place of a full heap, which would be the end of the JVM of the tests.
    assertThatThrownBy(() -> memory.tryTake(-1, CHUNK))
        .isInstanceOf(NegativeArraySizeException.class);
    assertThat(memory.used()).isZero();
  }

  @Test
  void givingBackTwiceIsABug() {
    byte[] chunk = memory.tryTake(10, 10);
    memory.giveBack(chunk);
    assertThatThrownBy(() -> memory.giveBack(chunk)).isInstanceOf(IllegalStateException.class);
  }
}
