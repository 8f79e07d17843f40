package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.records.FileRecords;
import io.zerorename.core.records.RecordStore;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitLogOnFileSystemTest extends CommitLogContract {
  @TempDir java.nio.file.Path temporary;

  private BreakableFileSystem fileSystem;
  private Path directory;

  @BeforeEach
  void newDirectory() throws IOException {
    fileSystem = new BreakableFileSystem();
    directory = new Path(new Path(temporary.toUri()), "t-1");
  }

  @Override
  CommitLog log() {
    return CommitLog.onFileSystem(fileSystem, directory);
  }

  @Override
  RecordStore records() {
    return new FileRecords(fileSystem, directory);
  }

  @Override
  void damage(String name, byte[] document) throws IOException {
    try (OutputStream out = fileSystem.create(new Path(directory, name), true)) {
      out.write(document);
    }
  }

  @Test
  void whoeverLosesAtTheLastInstantLearnsWhatStandsAndLeavesNoDraft() throws IOException {
    fileSystem.beforeDecision(
        () -> {
          fileSystem.repair();
          log().abort("job");
        });
    assertThat(log().abort("job")).isEqualTo(Decision.abort());
    assertThat(Arrays.stream(fileSystem.listStatus(directory)).map(FileStatus::getPath))
        .extracting(Path::getName)
        .containsExactly("decisions");
  }

  @Test
  void aFailedWriteLeavesNoDraft() throws IOException {
    fileSystem.beforeRename(
        () -> {
          throw new IOException("quota exceeded");
        });
    assertThatThrownBy(() -> log().abort("job")).hasMessageContaining("quota exceeded");
    assertThat(Arrays.stream(fileSystem.listStatus(directory)).map(FileStatus::getPath))
        .extracting(Path::getName)
        .containsExactly("decisions");
  }
}
