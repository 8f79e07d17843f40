package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename recover}: the options of {@link RecoverCommits}. */
@Command(
    name = "recover",
    description = {
      "Completes the commits that were interrupted at a table's location or a job's destination, in"
          + " the order of the commit log. Also those that an INSERT leaves to an operator: look at"
          + " the data first. It may be repeated.",
      "",
      "Commit logs that a store could not keep are looked for in zerorename.work.dir, MapReduce's"
          + " staging directory and Hive's scratch directory (hive.exec.scratchdir, or /tmp/hive).",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  zerorename recover s3a://bucket/warehouse/db.db/table",
      "  zerorename recover --now -D hive.exec.scratchdir=/data/hive s3a://bucket/warehouse/db.db/table",
      "  zerorename recover --give-up --job 5b1f0c7e s3a://bucket/output",
      "  zerorename recover --give-up --job 17 s3a://bucket/output"
    })
final class RecoverCommand implements Subcommand {
  @Parameters(paramLabel = "<path>", description = "The table's location or the destination.")
  private String path;

  @Option(
      names = "--now",
      description =
          "Also those whose process may still be alive, on another machine. Use it when you know"
              + " that it is dead.")
  private boolean now;

  @Option(
      names = "--give-up",
      description =
          "Ends commits of which files are lost, or whose records were changed: what is visible"
              + " stays, what is lost is listed, and no later job meets them again. Those of the"
              + " directories above are named, and left alone.")
  private boolean giveUp;

  @Option(
      names = "--job",
      paramLabel = "<id>",
      description =
          "With --give-up: ends this job's commit as it is, also if it could be completed. The job's"
              + " id, the beginning of it, or the number of its entry.")
  private String job;

  @Option(
      names = "--also",
      paramLabel = "<dir>",
      description =
          "A directory outside of <path> where its jobs may write, such as a partition's own"
              + " location. May be repeated.")
  private List<String> also = List.of();

  @Option(
      names = "--without-metastore",
      description =
          "Completes commits of Hive's without the metastore, and prints the statements that tell it"
              + " of partitions and statistics. Otherwise the next INSERT into the table completes"
              + " them.")
  private boolean withoutMetastore;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (job != null && !giveUp) {
      throw new InputException("--job belongs to --give-up");
    }
    Configuration conf = session.conf();
    Path destination = S3Paths.read(path, conf);
    Set<Path> allowed = new LinkedHashSet<>();
    also.forEach(directory -> allowed.add(S3Paths.path(directory)));
    allowed.add(destination);
    Duration grace =
        now
            ? Duration.ZERO
            : Duration.ofSeconds(
                CoreKeys.RECOVERY_PATIENCE.from(conf, ObjectKeys.bucketOf(destination)));
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      return new RecoverCommits(
              destination,
              new OperatorsEngine(stores, ClusterRecords.find(conf), allowed, !withoutMetastore),
              CommitSettings.from(conf, ObjectKeys.bucketOf(destination)),
              grace,
              giveUp,
              Optional.ofNullable(job),
              session)
          .run();
    }
  }
}
