package io.zerorename.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartBufferTest {
  @TempDir Path directory;

  /** More of the file comes before the part than an int holds. */
  @Test
  void aPartOfALongFileWaitsOnDisk() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("fs.s3a.buffer.dir", directory.toString());
    long capacity = 64L << 20;
    for (long start : new long[] {1, 64, 33, 10_000}) {
      PartBuffer part =
          new PartBuffer(34, capacity, start * capacity, Buffering.from(conf, "b"), () -> {});
      assertThat(part.write(new byte[9], 0, 9)).isEqualTo(9);
      assertThat(Buffering.memoryUsed()).isZero();
      part.seal();
      assertThat(part.open().readAllBytes()).hasSize(9);
      part.release();
      assertThat(directory).isEmptyDirectory();
    }
  }
}
