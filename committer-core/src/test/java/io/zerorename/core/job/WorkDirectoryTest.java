package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.parallel.Workers;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkDirectoryTest {
  private static final LocalDate TODAY = LocalDate.of(2026, 3, 10);

  @TempDir private java.nio.file.Path temporary;

  private FileSystem fileSystem;
  private WorkDirectory work;

  @BeforeEach
  void open() throws IOException {
    fileSystem = FileSystem.getLocal(new Configuration());
    work = new WorkDirectory(fileSystem, new Path(temporary.resolve("work").toUri()));
  }

  @Test
  void dayDirectoryIsPrivate() throws IOException {
    Path day = work.open(TODAY);

    assertThat(day.getName()).isEqualTo("2026-03-10");
    assertThat(fileSystem.getFileStatus(day).getPermission().toShort()).isEqualTo((short) 0700);
  }

  @Test
  void decisionsOfFinishedJobsGoAfterAWeekAndUnfinishedJobsStay() throws IOException {
    JobDirectory old = job(TODAY.minusDays(8), "finished");
    finish(old, TODAY.minusDays(8));
    JobDirectory late = job(TODAY.minusDays(8), "late");
    finish(late, TODAY.minusDays(1));
    JobDirectory broken = job(TODAY.minusDays(8), "broken");
    JobDirectory recent = job(TODAY.minusDays(7), "recent");
    finish(recent, TODAY.minusDays(7));
    JobDirectory onlyOne = job(TODAY.minusDays(30), "only-one");
    finish(onlyOne, TODAY.minusDays(30));

    work.purge(TODAY);

    assertThat(fileSystem.exists(old.path())).isFalse();
    assertThat(fileSystem.exists(broken.path())).isTrue();
    assertThat(fileSystem.exists(late.path())).isTrue();
    assertThat(fileSystem.exists(recent.path())).isTrue();
    assertThat(fileSystem.exists(onlyOne.path().getParent())).isFalse();
  }

  @Test
  void jobsOfNoDayGoOnceTheyHaveBeenFinishedForAWeek() throws IOException {
    JobDirectory old = undatedJob("old", TODAY.minusDays(8));
    finish(old, TODAY.minusDays(8));
    fileSystem.setTimes(old.path(), millis(TODAY.minusDays(8)), -1);
    JobDirectory recent = undatedJob("recent", TODAY.minusDays(6));
    finish(recent, TODAY.minusDays(6));
    fileSystem.setTimes(recent.path(), millis(TODAY.minusDays(6)), -1);
    JobDirectory broken = undatedJob("broken", TODAY.minusDays(60));

    work.purge(TODAY);

    assertThat(fileSystem.exists(old.path())).isFalse();
    assertThat(fileSystem.exists(recent.path())).isTrue();
    assertThat(fileSystem.exists(broken.path())).isTrue();
    assertThat(fileSystem.exists(work.openUndated())).isTrue();
  }

  @Test
  void whatIsNotADayIsLeftAlone() throws IOException {
    Path foreign = new Path(work.open(TODAY).getParent(), "notes");
    fileSystem.mkdirs(foreign);

    work.purge(TODAY.plusYears(1));

    assertThat(fileSystem.exists(foreign)).isTrue();
  }

  @Test
  void directoryThatCannotBeMadeIsToldWithTheSettingToCheck() throws IOException {
    Files.createFile(temporary.resolve("file"));
    WorkDirectory inFile =
        new WorkDirectory(fileSystem, new Path(temporary.resolve("file").resolve("work").toUri()));

    assertThatThrownBy(() -> inFile.open(TODAY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2026-03-10")
        .hasMessageContaining("zerorename.work.dir");
  }

  @Test
  void directoryThatOthersMayWriteToIsRefused() throws IOException {
    Path root = work.open(TODAY).getParent();
    fileSystem.setPermission(root, new FsPermission((short) 0777));

    assertThatThrownBy(() -> work.open(TODAY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rwxrwxrwx")
        .hasMessageContaining("no other user may write to it");
  }

  private void finish(JobDirectory job, LocalDate day) throws IOException {
    Workers workers = CommitSettings.ofThreads(1).workers();
    job.end(new InMemoryObjectStore("bucket"), Optional.empty(), workers);
    fileSystem.setTimes(new Path(job.path(), "finished"), millis(day), -1);
  }

  private JobDirectory undatedJob(String id, LocalDate day) throws IOException {
    JobDirectory job = new JobDirectory(fileSystem, new Path(work.openUndated(), id));
    job.create();
    fileSystem.setTimes(job.path(), millis(day), -1);
    return job;
  }

  private static long millis(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  private JobDirectory job(LocalDate day, String id) throws IOException {
    JobDirectory job = new JobDirectory(fileSystem, new Path(work.open(day), id));
    job.create();
    return job;
  }
}
