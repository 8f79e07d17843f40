package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;

class TaskAttemptTest {
  private static final Path DIRECTORY = new Path("hdfs://n/staging");

  @Test
  void targetsOfAMultiInsertThatAreWrittenInTurnKeepTheirCountAndTheirWriters() {
    TaskAttempt one = TaskAttempt.current("query", "job-1", "attempt_0");
    SinkWriters writers = one.sink(DIRECTORY, 4);
    assertThat(inlined(one).addAndGet(10)).isEqualTo(10);
    assertThat(inlined(TaskAttempt.current("query", "job-2", "attempt_0")).addAndGet(1))
        .isEqualTo(1);

    TaskAttempt again = TaskAttempt.current("query", "job-1", "attempt_0");

    assertThat(inlined(again).addAndGet(10)).isEqualTo(20);
    assertThat(again.sink(DIRECTORY, 4)).isSameAs(writers);
  }

  @Test
  void aThreadBeginsAnewWithTheNextAttemptAndWithTheNextStatement() {
    inlined(TaskAttempt.current("query", "job", "attempt_0")).addAndGet(10);

    assertThat(inlined(TaskAttempt.current("query", "job", "attempt_1")).addAndGet(1)).isEqualTo(1);
    assertThat(inlined(TaskAttempt.current("query", "job", "attempt_0")).addAndGet(1)).isEqualTo(1);
    assertThat(inlined(TaskAttempt.current("later", "job", "attempt_0")).addAndGet(1)).isEqualTo(1);
  }

  @Test
  void bytesThatHaveToRestUnderTheKeysOfTheBucketAreUploadedUnlessTheUserWantsItOtherwise() {
    JobConf conf = new JobConf(false);
    TaskAttempt attempt = TaskAttempt.current("inlining", "job", "attempt_0");
    assertThat(attempt.inline(conf, "b").maxBytes()).isEqualTo(512L << 10);
    conf.set("fs.s3a.encryption.algorithm", "SSE-KMS");
    assertThat(attempt.inline(conf, "b").maxBytes()).isZero();
    conf.set("fs.s3a.bucket.b.encryption.algorithm", "AES256");
    assertThat(attempt.inline(conf, "b").maxBytes()).isEqualTo(512L << 10);
    conf.set("zerorename.inline.max.bytes", "1K");
    assertThat(attempt.inline(conf, "other").maxBytes()).isEqualTo(1L << 10);
    conf.setInt("mapreduce.job.maps", 1024);
    assertThat(attempt.inline(conf, "b").attemptBytes()).isEqualTo(256L << 10);
  }

  private static AtomicLong inlined(TaskAttempt attempt) {
    return attempt.inline(new JobConf(false), "b").inlined();
  }
}
