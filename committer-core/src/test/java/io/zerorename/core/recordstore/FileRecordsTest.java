package io.zerorename.core.recordstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
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
  void aRenameThatFailsLeavesNoDraft() throws IOException {
    fileSystem.rename =
        (from, to) -> {
          assertThat(read(from)).isEqualTo(OURS);
          throw new IOException("connection reset");
        };
    assertThatThrownBy(() -> records.putIfAbsent(NAME, OURS))
        .hasMessage("connection reset")
        // The answer may have been lost.
        .isNotInstanceOf(NotWrittenException.class);
    assertThat(drafts()).isEmpty();
    assertThat(records.get(NAME)).isEmpty();
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
        .hasMessageContainingAll("refused to rename", "zerorename.work.dir", NAME);
    assertThat(drafts()).isEmpty();
    assertThat(records.get(NAME)).isEmpty();
  }

  @Test
  void whoIsMoreThanAQuarterOfAnHourLateWritesNothing() throws IOException {
    Instant now = records.now();
    assertThatThrownBy(
            () -> records.putIfAbsent(NAME, OURS, now.minus(Duration.ofMinutes(15)).minusMillis(1)))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContainingAll("too late", NAME);
    assertThat(drafts()).isEmpty();
    assertThat(records.get(NAME)).isEmpty();
    assertThat(records.putIfAbsent(NAME, OURS, now.minus(Duration.ofMinutes(10)))).isTrue();
    assertThat(records.get(NAME)).contains(OURS);
  }

  @Test
  void onlyDraftsThatAreOldAreDeleted() throws IOException {
    Instant before = Instant.now().minus(Duration.ofDays(1));
    Path old = draft("old", before.minusSeconds(1));
    Path young = draft("young", before.plusSeconds(1));
    records.putIfAbsent("old", OURS);
    setTime(new Path(directory, "old"), before.minusSeconds(1));

    records.deleteDrafts(before);

    assertThat(fileSystem.exists(old)).isFalse();
    assertThat(drafts()).containsExactly(young.getName());
    assertThat(records.get("old")).contains(OURS);
  }

  @Test
  void whoseDraftWasDeletedWritesNothing() throws IOException {
    Rename really = fileSystem.rename;
    fileSystem.rename =
        (from, to) -> {
          // It sleeps here.
          records.deleteDrafts(Instant.now().plus(Duration.ofDays(1)));
          // HDFS answers false where a local file system throws.
          return fileSystem.exists(from) && really.of(from, to);
        };
    assertThatThrownBy(() -> records.putIfAbsent(NAME, OURS))
        .isInstanceOf(NotWrittenException.class)
        .hasMessageContaining("its draft was deleted");
    assertThat(records.get(NAME)).isEmpty();
  }

  private Path draft(String name, Instant written) throws IOException {
    Path draft = new Path(directory, ".draft-" + name);
    write(draft, OURS);
    setTime(draft, written);
    return draft;
  }

  private void setTime(Path file, Instant written) throws IOException {
    fileSystem.setTimes(file, written.toEpochMilli(), -1);
  }

  private void write(Path file, byte[] document) throws IOException {
    try (OutputStream out = fileSystem.create(file, true)) {
      out.write(document);
    }
  }

  private byte[] read(Path file) throws IOException {
    try (var in = fileSystem.open(file)) {
      return in.readAllBytes();
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
