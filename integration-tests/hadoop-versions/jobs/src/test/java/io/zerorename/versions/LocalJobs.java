package io.zerorename.versions;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Job;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Runs jobs that must succeed on a LocalJobRunner, which tells only its log why one has not. Here
 * it is the cause of what is thrown.
 */
public final class LocalJobs {
  private LocalJobs() {}

  /** Runs a job in the API of {@code org.apache.hadoop.mapred}. */
  public static RunningJob run(JobConf conf) throws Exception {
    try (FailureLog log = new FailureLog()) {
      RunningJob job = new JobClient(conf).submitJob(conf);
      job.waitForCompletion();
      if (!job.isSuccessful()) {
        throw log.failureOf(job.getID());
      }
      return job;
    }
  }

  /** Runs a job in the API of {@code org.apache.hadoop.mapreduce}. */
  public static void run(Job job) throws Exception {
    try (FailureLog log = new FailureLog()) {
      if (!job.waitForCompletion(false)) {
        throw log.failureOf(job.getJobID());
      }
    }
  }

  /** Why jobs failed, as the LocalJobRunner logs it: with the id for a message. */
  private static final class FailureLog extends AppenderSkeleton implements AutoCloseable {
    private static final Logger RUNNER = Logger.getLogger(LocalJobRunner.class);

    /** It logs just after it has reported the failure. */
    private static final int PATIENCE_SECONDS = 60;

    private final Map<String, CompletableFuture<Throwable>> failures = new ConcurrentHashMap<>();

    FailureLog() {
      RUNNER.addAppender(this);
    }

    IOException failureOf(Object jobId) throws Exception {
      IOException failure = new IOException(jobId + " failed");
      try {
        failure.initCause(failure(jobId.toString()).get(PATIENCE_SECONDS, TimeUnit.SECONDS));
      } catch (TimeoutException e) {
        failure.addSuppressed(e);
      }
      return failure;
    }

    private CompletableFuture<Throwable> failure(String jobId) {
      return failures.computeIfAbsent(jobId, it -> new CompletableFuture<>());
    }

    @Override
    protected void append(LoggingEvent event) {
      if (event.getThrowableInformation() != null) {
        failure(event.getRenderedMessage())
            .complete(event.getThrowableInformation().getThrowable());
      }
    }

    @Override
    public void close() {
      RUNNER.removeAppender(this);
    }

    @Override
    public boolean requiresLayout() {
      return false;
    }
  }
}
