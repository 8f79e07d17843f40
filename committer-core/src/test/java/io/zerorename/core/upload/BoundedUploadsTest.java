package io.zerorename.core.upload;

import static java.nio.file.attribute.PosixFilePermission.OWNER_READ;
import static java.nio.file.attribute.PosixFilePermission.OWNER_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What uploads hold in memory and on local disk. */
@Timeout(300)
class BoundedUploadsTest extends AttemptUploads {
  @Test
  void manySmallFilesStayWithinLittleMemory() throws IOException {
    MultipartUploads uploads = uploads();
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      UploadStream stream = uploads.open(new Path("s3a://bucket/small/" + i));
      stream.write(i);
      streams.add(stream);
    }
    assertThat(Buffering.memoryUsed()).isEqualTo(100 * (8 << 10));
    for (UploadStream stream : streams) {
      pending(stream);
    }
    assertThat(Buffering.memoryUsed()).isZero();
    assertThat(store.pendingKeys()).hasSize(100);
  }

  @Test
  void pastTheMemoryLimitPartsGoThroughLocalFiles() throws IOException {
    MultipartUploads uploads = uploads(10_000);
    UploadStream stream = uploads.open(FILE);
    byte[] content = random(PART / 2 + 1);
    stream.write(content);
    assertThat(Buffering.memoryUsed()).isLessThanOrEqualTo(10_000);
    assertThat(filesIn(spill)).hasSize(1);
    byte[] more = random(3 * PART);
    for (int i = 0; i < more.length; i += 7) {
      stream.write(more, i, Math.min(7, more.length - i));
    }
    complete(pending(stream));
    assertThat(Arrays.copyOf(store.content(KEY), content.length)).isEqualTo(content);
    assertThat(Arrays.copyOfRange(store.content(KEY), content.length, content.length + more.length))
        .isEqualTo(more);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1 << 20})
  void aTailIsAtMostTheLastPart(long memoryLimit) throws IOException {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.s3a.buffer.dir", spill.toString());
    MultipartUploads uploads =
        uploads(
            new UploadSettings(
                PART,
                3,
                new Buffering(memoryLimit, Long.MAX_VALUE, configuration),
                2 * PART + 5,
                InlineSettings.none()));
    for (int length : new int[] {1, PART, PART + 1, 2 * PART, 3 * PART - 7}) {
      UploadStream stream = uploads.open(FILE);
      byte[] content = random(length);
      stream.write(content);
      stream.close();
      int from = (length - 1) / PART * PART;
      assertThat(stream.tail()).isEqualTo(Arrays.copyOfRange(content, from, length));
    }
  }

  @Test
  void spillFilesAreForThisUserAloneInS3asDirectories() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set("hadoop.tmp.dir", spill.toString());
    assumeThat(System.getenv("LOCAL_DIRS"))
        .as("LOCAL_DIRS, which would be used instead, is not set")
        .isNull();
    PartBuffer part = onDisk(configuration);
    part.write(new byte[1], 0, 1);
    assertThat(filesIn(spill))
        .singleElement()
        .satisfies(
            file -> {
              assertThat(file.getParent()).isEqualTo(spill.resolve("s3a"));
              assertThat(Files.getPosixFilePermissions(file))
                  .containsExactlyInAnyOrder(OWNER_READ, OWNER_WRITE);
            });
    part.seal();
    part.release();
  }

  @Test
  void withoutAnyLocalDirectoryTheMessageNamesTheKeyToSet() throws IOException {
    java.nio.file.Path file = Files.createFile(spill.resolve("no-directory"));
    Configuration configuration = new Configuration(false);
    configuration.set("fs.s3a.buffer.dir", file.toString());
    configuration.set("zerorename.upload.memory.limit", "0");
    UploadStream stream = uploads(configuration).open(FILE);
    assertThatThrownBy(() -> stream.write(1))
        .hasMessageContaining("fs.s3a.buffer.dir")
        .hasMessageContaining("no-directory");
    Files.delete(file);
  }

  /** More of the file comes before the part than an int holds. */
  @Test
  void aPartOfALongFileWaitsOnDisk() throws Exception {
    Buffering buffering = Buffering.from(configuration("disk"), "b");
    long capacity = 64L << 20;
    for (long start : new long[] {1, 64, 33, 10_000}) {
      PartBuffer part = new PartBuffer(34, capacity, start * capacity, buffering, () -> {});
      assertThat(part.write(new byte[9], 0, 9)).isEqualTo(9);
      assertThat(Buffering.memoryUsed()).isZero();
      part.seal();
      assertThat(part.open().readAllBytes()).hasSize(9);
      part.release();
      assertThat(filesIn(spill)).isEmpty();
    }
  }

  private PartBuffer onDisk(Configuration configuration) {
    return new PartBuffer(1, 100, 0, new Buffering(0, Long.MAX_VALUE, configuration), () -> {});
  }

  @Test
  void aFileThatIsNotSmallWaitsOnDiskAsByS3AsDefault() throws IOException {
    UploadStream stream = uploads(configuration("disk")).open(FILE);
    byte[] content = random(3 << 20);
    stream.write(content, 0, 511 << 10);
    assertThat(Buffering.memoryUsed()).isBetween(511L << 10, 512L << 10);
    assertThat(filesIn(spill)).isEmpty();
    stream.write(content, 511 << 10, content.length - (511 << 10));
    assertThat(Buffering.memoryUsed()).isZero();
    assertThat(filesIn(spill)).hasSize(1);
    complete(pending(stream));
    assertThat(store.content(KEY)).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(strings = {"array", "bytebuffer"})
  void aLargeFileWaitsInMemoryWhereThoseOfS3ADo(String buffer) throws IOException {
    for (Configuration configuration :
        List.of(configuration(buffer), perBucket(configuration("disk"), buffer))) {
      UploadStream stream = uploads(configuration).open(FILE);
      byte[] content = random(3 << 20);
      stream.write(content);
      assertThat(Buffering.memoryUsed()).isGreaterThanOrEqualTo(content.length);
      assertThat(filesIn(spill)).isEmpty();
      stream.abort();
    }
  }

  @Test
  void aFileThatIsNotUploadedMayWaitOnDiskToo() throws IOException {
    UploadStream stream = uploads(inlining(3 << 20)).open(FILE);
    byte[] content = random(3 << 20);
    stream.write(content);
    assertThat(filesIn(spill)).hasSize(1);
    stream.close();
    assertThat(((InlineFile) stream.file()).body().open().readAllBytes()).isEqualTo(content);
  }

  private UploadSettings inlining(int maxBytes) {
    return UploadSettings.from(configuration("disk"), "bucket")
        .with(new InlineSettings(maxBytes, maxBytes, new AtomicLong()));
  }

  private Configuration configuration(String buffer) {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.s3a.buffer.dir", spill.toString());
    configuration.set("fs.s3a.fast.upload.buffer", buffer);
    return configuration;
  }

  private static Configuration perBucket(Configuration configuration, String buffer) {
    configuration.set("fs.s3a.bucket.bucket.fast.upload.buffer", buffer);
    return configuration;
  }

  private MultipartUploads uploads(Configuration configuration) {
    return uploads(UploadSettings.from(configuration, "bucket"));
  }

  private MultipartUploads uploads(UploadSettings settings) {
    return uploads(settings, () -> {});
  }
}
