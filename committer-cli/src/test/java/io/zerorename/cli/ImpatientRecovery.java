package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * {@code zerorename recover}, with and without {@code --give-up}, for a store of which it is known
 * that it is not completing an upload: the command itself waits for five minutes.
 */
final class ImpatientRecovery {
  static final CommitSettings SETTINGS = new CommitSettings(4, 512, Duration.ZERO, Clock::sleep);

  private final S3Bucket bucket;

  ImpatientRecovery(S3Bucket bucket) {
    this.bucket = bucket;
  }

  CommandLineRun run() throws IOException {
    return run(false, Optional.empty());
  }

  CommandLineRun giveUp() throws IOException {
    return run(true, Optional.empty());
  }

  /** With {@code --job}. */
  CommandLineRun giveUp(String job) throws IOException {
    return run(true, Optional.of(job));
  }

  private CommandLineRun run(boolean giveUp, Optional<String> job) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Output output =
        new Output(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), false);
    Configuration conf = bucket.conf();
    S3AObjectStores stores = new S3AObjectStores(conf);

    ExitCode code =
        new RecoveryRun(
                bucket.path("db/t"),
                new OperatorsEngine(stores, Set.of(bucket.path("db/t")), true, CommitProgress.NONE),
                new CommitLogs(stores, conf),
                SETTINGS,
                giveUp ? RecoveryRun.Mode.GIVE_UP : RecoveryRun.Mode.COMPLETE,
                job,
                output)
            .run();
    return new CommandLineRun(code.number(), out.toString(UTF_8), err.toString(UTF_8));
  }
}
