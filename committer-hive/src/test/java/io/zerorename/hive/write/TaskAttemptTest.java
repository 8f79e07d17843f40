package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class TaskAttemptTest {
  private static final Path DIRECTORY = new Path("hdfs://n/staging");

  @Test
  void targetsOfAMultiInsertThatAreWrittenInTurnKeepTheirCountAndTheirWriters() {
    TaskAttempt one = TaskAttempt.current("query", "job-1", "attempt_0");
    SinkWriters writers = one.sink(DIRECTORY, 4);
    assertThat(one.inlinedBytes().addAndGet(10)).isEqualTo(10);
    assertThat(TaskAttempt.current("query", "job-2", "attempt_0").inlinedBytes().addAndGet(1))
        .isEqualTo(1);

    TaskAttempt again = TaskAttempt.current("query", "job-1", "attempt_0");

    assertThat(again.inlinedBytes().addAndGet(10)).isEqualTo(20);
    assertThat(again.sink(DIRECTORY, 4)).isSameAs(writers);
  }

  @Test
  void aThreadBeginsAnewWithTheNextAttemptAndWithTheNextStatement() {
    TaskAttempt.current("query", "job", "attempt_0").inlinedBytes().addAndGet(10);

    assertThat(TaskAttempt.current("query", "job", "attempt_1").inlinedBytes().addAndGet(1))
        .isEqualTo(1);
    assertThat(TaskAttempt.current("query", "job", "attempt_0").inlinedBytes().addAndGet(1))
        .isEqualTo(1);
    assertThat(TaskAttempt.current("later", "job", "attempt_0").inlinedBytes().addAndGet(1))
        .isEqualTo(1);
  }
}
