package io.zerorename.cli;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.cli.command.Units;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename status}: what is open at and below a directory. */
@Command(
    name = "status",
    description = {
      "Shows what is open at every destination below a directory, or in a whole bucket: commits"
          + " that are interrupted, damaged or left to an operator, with their lost files and what to"
          + " do, and pending uploads by age. A partition has the jobs of its table. It changes"
          + " nothing.",
      "",
      "For monitors: exit code 0 means that nothing is open, 1 that something is open, damaged or"
          + " orphaned, 2 that nothing is at the path at all, 4 that something could not be read."
    },
    footer = {
      "  zerorename status s3a://bucket/warehouse",
      "  zerorename status db.table",
      "  zerorename status db",
      "  zerorename status --ended 50 s3a://bucket/output",
      "  zerorename status --stale-after 30m --json s3a://bucket"
    })
final class StatusCommand implements Subcommand {
  @Parameters(
      paramLabel = "<path or name>",
      description =
          "A directory with destinations, a destination, or a bucket; or db.table, or a database,"
              + " of whose tables then only the own logs are read.")
  private String path;

  @Option(
      names = "--stale-after",
      paramLabel = "<time>",
      defaultValue = "1h",
      converter = Units.DurationReader.class,
      description =
          "After how long an open commit is marked as stale, and an orphaned upload counts"
              + " as something to do; by default ${DEFAULT-VALUE}.")
  private Duration staleAfter;

  @Option(
      names = "--ended",
      paramLabel = "<number>",
      defaultValue = "0",
      description =
          "How many of the jobs that have ended to show as well, the latest of each destination. The"
              + " log keeps them for 7 days. Up to three requests for each.")
  private int ended;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (ended < 0) {
      throw new InputException("ZR-9101: --ended " + ended + " is less than 0");
    }
    ClusterRecords records = ClusterRecords.findAndWarn(session);
    StatusReport report = new StatusReport(staleAfter, session);
    List<Target> targets = StatusScan.targets(path, session);
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      LogSearch logs = new LogSearch(stores, records, session.conf());
      new StatusScan(logs, session, ended).read(path, targets).forEach(report::add);
      List<Path> directories = Target.directories(targets);
      if (!directories.isEmpty()) {
        addUploads(directories, logs, report, session);
      }
      if (report.isEmpty() && records.unseen().isEmpty() && StatusScan.isPath(path)) {
        requireObjects(targets.get(0).path(), logs);
      }
    }
    return report.print(path).and(records.unseen().isEmpty() ? ExitCode.OK : ExitCode.FAILED);
  }

  /** A path at which nothing is may be mistyped. */
  private static void requireObjects(Path directory, LogSearch logs) throws IOException {
    ObjectStores stores = logs.stores();
    if (!directory.isRoot()
        && !stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)).hasNext()) {
      logs.require(directory, "No object is there either: check the path.");
    }
  }

  private static void addUploads(
      List<Path> directories, LogSearch logs, StatusReport report, Session session)
      throws IOException {
    try {
      report.add(
          new PendingUploads(directories, logs.stores(), session.conf())
              .find(count -> session.progress().count("Uploads found", count)));
      for (Path directory : directories) {
        if (!logs.stores().forPath(directory).listsUploadsByPrefix()) {
          report.addUnlisted(directory);
        }
      }
    } catch (StoreException e) {
      report.addUnseen(directories, e);
    }
    session.progress().clear();
  }
}
