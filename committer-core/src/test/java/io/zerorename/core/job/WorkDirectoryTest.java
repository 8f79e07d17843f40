package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
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
    Path jobs = work.create();

    assertThat(jobs).isEqualTo(WorkDirectory.jobsOf(jobs.getParent()));
    assertThat(fileSystem.getFileStatus(jobs).getPermission().toShort()).isEqualTo((short) 0700);
  }

  @Test
  void jobsWithoutARecordForEightDaysAndOldNotesGoOnceADay() throws IOException {
    Path jobs = work.create();
    Path checks = new Path(jobs.getParent(), WorkDirectory.CHECKS);
    Path old = aged(new Path(jobs, "old"), Duration.ofDays(9));
    Path young = aged(new Path(jobs, "young"), Duration.ofDays(7));
    Path note = aged(new Path(checks, "_bucket.2026-01-01"), Duration.ofDays(9));
    work.deleteOld();
    assertThat(fileSystem.exists(old)).isFalse();
    assertThat(fileSystem.exists(young)).isTrue();
    assertThat(fileSystem.exists(note)).isFalse();

    aged(old, Duration.ofDays(9));
    work.deleteOld();
    assertThat(fileSystem.exists(old)).as("not twice a day").isTrue();
    aged(new Path(checks, "_cleaned"), Duration.ofDays(1));
    work.deleteOld();
    assertThat(fileSystem.exists(old)).isFalse();
  }

  /** Where this machine is days ahead. */
  @Test
  void howOldAJobIsSaysTheClockOfTheFileSystem() throws IOException {
    Path job = aged(new Path(work.create(), "job"), Duration.ofDays(9));
    FileSystem behind =
        new FilterFileSystem(fileSystem) {
          @Override
          public FileStatus getFileStatus(Path path) throws IOException {
            FileStatus now = super.getFileStatus(path);
            return new FileStatus(
                now.getLen(),
                now.isDirectory(),
                1,
                0,
                now.getModificationTime() - Duration.ofDays(2).toMillis(),
                path);
          }
        };
    new WorkDirectory(behind, job.getParent().getParent()).deleteOld();
    assertThat(fileSystem.exists(job)).isTrue();
  }

  private Path aged(Path path, Duration age) throws IOException {
    if (!fileSystem.exists(path)) {
      fileSystem.mkdirs(path);
    }
    fileSystem.setTimes(path, System.currentTimeMillis() - age.toMillis(), -1);
    return path;
  }

  @Test
  void directoryThatOthersMayWriteToIsRefused() throws IOException {
    Path root = work.create().getParent();
    fileSystem.setPermission(root, new FsPermission((short) 0777));

    assertThatThrownBy(() -> work.create())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rwxrwxrwx")
        .hasMessageContaining("no other user may write to it");
  }
}
