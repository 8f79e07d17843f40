package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.parallel.ProcessShare;
import io.zerorename.testing.SessionClassLoader;
import java.lang.reflect.Method;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UploadMemoryTest {
  private static final int CHUNK = UploadMemory.CHUNK;

  private final UploadMemory memory =
      new UploadMemory(ProcessShare.of(UUID.randomUUID().toString(), Long.MAX_VALUE));

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
  void classLoadersOfOneProcessHaveOneLimit() throws Exception {
    try (SessionClassLoader loader = new SessionClassLoader()) {
      Class<?> theirs = loader.loadClass(UploadMemory.class.getName());
      assertThat(theirs).isNotSameAs(UploadMemory.class);
      Object other = theirs.getMethod("shared").invoke(null);
      Method tryTake = theirs.getDeclaredMethod("tryTake", int.class, long.class);
      tryTake.setAccessible(true);
      Method giveBack = theirs.getDeclaredMethod("giveBack", byte[].class);
      giveBack.setAccessible(true);
      // More than a test beside this one holds.
      long limit = 1L << 40;
      byte[] chunk = UploadMemory.shared().tryTake(10, limit);
      byte[] used = (byte[]) tryTake.invoke(other, 10, limit);
      assertThat(tryTake.invoke(other, 10, 29L)).as("20 are taken").isNull();
      assertThat(UploadMemory.shared().tryTake(10, 29)).isNull();

      giveBack.invoke(other, (Object) used);
      UploadMemory.shared().giveBack(chunk);
    }
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
