package io.zerorename.cli;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename recover}: the options of a {@link RecoveryRun}. */
@Command(
    name = "recover",
    description = {
      "Completes interrupted commits of a table's location or a job's destination, in the order of the"
          + " commit log. That includes commits that an INSERT leaves to an operator: check the data"
          + " first. It may be repeated, and may run beside the commit's own process."
    },
    footer = {
      "  zerorename recover s3a://bucket/warehouse/db.db/table",
      "  zerorename recover db.table",
      "  zerorename recover --dry-run s3a://bucket/warehouse/db.db/table",
      "  zerorename recover --give-up --job 5b1f0c7e s3a://bucket/output"
    })
final class RecoverCommand implements Subcommand {
  @Parameters(
      paramLabel = Target.LABEL,
      description =
          "The table's location or the destination, or db.table: then --also is not needed.")
  private String path;

  @Option(
      names = "--dry-run",
      description = "Only prints what would be done with each open commit. It changes nothing.")
  private boolean dryRun;

  @Option(
      names = "--give-up",
      description =
          "Gives up commits with lost files or changed records: visible files stay, lost files"
              + " are listed, and no later job resumes them. Those of the directories above are only"
              + " named.")
  private boolean giveUp;

  @Option(
      names = "--job",
      paramLabel = "<id>",
      description =
          "With --give-up: gives up this job's commit, even if it could be completed. The job's"
              + " id, or the beginning of it.")
  private String job;

  @Option(
      names = "--also",
      paramLabel = "<dir>",
      description =
          "A directory outside of <path> to which its jobs may write, such as a partition's own"
              + " location. May be repeated.")
  private List<String> also = List.of();

  @Option(
      names = "--without-metastore",
      description =
          "Completes commits of Hive without the metastore, and prints the statements that update"
              + " partitions and statistics. Otherwise the next INSERT into the table completes"
              + " them.")
  private boolean withoutMetastore;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (job != null && !giveUp) {
      throw new InputException("ZR-9103: --job belongs to --give-up");
    }
    if (dryRun && giveUp) {
      throw new InputException(
          "ZR-9104: --dry-run shows what recover does without --give-up; leave one out");
    }
    Configuration conf = session.conf();
    Target target = Target.of(path, session);
    Path destination = target.path();
    Set<Path> allowed = new LinkedHashSet<>();
    also.forEach(directory -> allowed.add(S3Paths.read(directory, conf)));
    allowed.add(destination);
    allowed.addAll(target.elsewhere());
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      return new RecoveryRun(
              destination,
              new OperatorsEngine(
                  stores,
                  allowed,
                  !withoutMetastore,
                  CommitProgress.from(conf, session.output()::tell)),
              new CommitLogs(stores, conf),
              CommitSettings.from(conf, ObjectKeys.bucketOf(destination)),
              dryRun
                  ? RecoveryRun.Mode.DRY_RUN
                  : giveUp ? RecoveryRun.Mode.GIVE_UP : RecoveryRun.Mode.COMPLETE,
              Optional.ofNullable(job),
              session.output())
          .run();
    }
  }
}
