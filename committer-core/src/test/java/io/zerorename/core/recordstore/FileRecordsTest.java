package io.zerorename.core.recordstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of drafts: files that are written, and not moved into place. */
class FileRecordsTest {
  private static final String NAME = "log/1";
  private static final byte[] OURS = "ours".getBytes(UTF_8);

  private final Renaming fileSystem = new Renaming();
  private Path directory;
  private FileRecords records;

  FileRecordsTest() throws IOException {}

  /** What happens in place of a rename. */
  private interface Rename {
    boolean of(Path from, Path to) throws IOException;
  }

  private static final class Renaming extends FilterFileSystem {
    private Rename rename = super::rename;

    Renaming() throws IOException {
      super(FileSystem.getLocal(new Configuration(false)).getRawFileSystem());
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
      return rename.of(from, to);
    }
  }

  @BeforeEach
  void open(@TempDir java.nio.file.Path temporary) {
    directory = new Path(temporary.toUri());
    records = new FileRecords(fileSystem, directory);
  }

  @Test
  void whoseRenameIsRefusedAfterARivalHasLostAndLeavesNoDraft() throws IOException {
    byte[] rivals = "the rival's".getBytes(UTF_8);
    fileSystem.rename =
        (from, to) -> {
          write(to, rivals);
          return false;
        };
    assertThat(records.putIfAbsent(NAME, OURS)).isFalse();
    assertThat(drafts()).isEmpty();
    assertThat(records.get(NAME)).contains(rivals);
  }

  @Test
  void aRenameThatIsRefusedThoughNothingIsThereIsAFailure() throws IOException {
    fileSystem.rename = (from, to) -> false;
    assertThatThrownBy(() -> records.putIfAbsent(NAME, OURS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("refused to rename")
        .hasMessageContaining("zerorename.work.dir");
    assertThat(drafts()).isEmpty();
    assertThat(records.get(NAME)).isEmpty();
  }

  @Test
  void ofWritersOfOneInstantOneWins() throws Exception {
    Rename really = fileSystem.rename;
    // As HDFS does it.
    fileSystem.rename =
        (from, to) -> {
          synchronized (this) {
            return !fileSystem.exists(to) && really.of(from, to);
          }
        };
    int writers = 16;
    CyclicBarrier begin = new CyclicBarrier(writers);
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<Boolean>> written = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        byte[] document = {(byte) writer};
        written.add(
            threads.submit(
                () -> {
                  begin.await();
                  return records.putIfAbsent(NAME, document);
                }));
      }
      List<Byte> winners = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        if (written.get(writer).get()) {
          winners.add((byte) writer);
        }
      }
      assertThat(winners).singleElement().isEqualTo(records.get(NAME).orElseThrow()[0]);
      assertThat(drafts()).isEmpty();
    } finally {
      threads.shutdownNow();
    }
  }

  private void write(Path file, byte[] document) throws IOException {
    try (OutputStream out = fileSystem.create(file, true)) {
      out.write(document);
    }
  }

  private List<String> drafts() throws IOException {
    return Arrays.stream(fileSystem.listStatus(directory))
        .filter(FileStatus::isFile)
        .map(file -> file.getPath().getName())
        .filter(name -> name.startsWith("."))
        .toList();
  }
}
