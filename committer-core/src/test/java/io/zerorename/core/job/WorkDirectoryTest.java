package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkDirectoryTest {
  @TempDir private java.nio.file.Path temporary;

  private FileSystem fileSystem;
  private WorkDirectory work;

  @BeforeEach
  void open() throws IOException {
    fileSystem = FileSystem.getLocal(new Configuration());
    work = new WorkDirectory(fileSystem, new Path(temporary.resolve("work").toUri()));
  }

  @Test
  void theDirectoryForJobsIsPrivate() throws IOException {
    Path jobs = work.open();

    assertThat(jobs).isEqualTo(WorkDirectory.jobsOf(jobs.getParent()));
    assertThat(fileSystem.getFileStatus(jobs).getPermission().toShort()).isEqualTo((short) 0700);
  }

  @Test
  void itsJobsAreThoseBelowThatDirectory() throws IOException {
    assertThat(work.jobs()).isEmpty();
    Path jobs = work.open();
    fileSystem.mkdirs(new Path(jobs.getParent(), "notes"));
    fileSystem.mkdirs(new Path(jobs, "job-1"));

    assertThat(work.jobs()).containsExactly(new Path(jobs, "job-1"));
  }

  @Test
  void directoryThatCannotBeMadeIsToldWithTheSettingToCheck() throws IOException {
    Files.createFile(temporary.resolve("file"));
    WorkDirectory inFile =
        new WorkDirectory(fileSystem, new Path(temporary.resolve("file").resolve("work").toUri()));

    assertThatThrownBy(() -> inFile.open())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("work/jobs")
        .hasMessageContaining("zerorename.work.dir");
  }

  @Test
  void directoryThatOthersMayWriteToIsRefused() throws IOException {
    Path root = work.open().getParent();
    fileSystem.setPermission(root, new FsPermission((short) 0777));

    assertThatThrownBy(() -> work.open())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rwxrwxrwx")
        .hasMessageContaining("no other user may write to it");
  }
}
