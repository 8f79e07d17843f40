package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file that another thread than its writer's closes, perhaps in the midst of a write. */
class ClosedBesideWriterTest extends AttemptUploads {
  private static final int WRITE = 7_000;

  @Test
  @Timeout(300)
  void eachWriteThatHasReturnedIsInTheFile() throws Exception {
    for (int run = 0; run < 100; run++) {
      UploadStream stream = uploads().open(FILE);
      AtomicLong written = new AtomicLong();
      Thread writer = new Thread(() -> writeUntilItFails(stream, written));
      writer.start();
      while (written.get() < (long) run * WRITE) {
        Thread.onSpinWait();
      }
      stream.close();
      writer.join();
      PendingUpload file = (PendingUpload) stream.file();
      assertThat(file.length()).as("run %s", run).isEqualTo(written.get());
    }
    assertThat(Buffering.memoryUsed()).isZero();
  }

  private static void writeUntilItFails(UploadStream stream, AtomicLong written) {
    try {
      while (true) {
        stream.write(new byte[WRITE]);
        written.addAndGet(WRITE);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("the stream is closed");
    }
  }
}
