package io.zerorename.cli;

import io.zerorename.cli.StatusScan.Destination;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
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
      "  zerorename status --ended 50 s3a://bucket/output",
      "  zerorename status --json s3a://bucket"
    })
final class StatusCommand implements Subcommand {
  @Parameters(
      paramLabel = Target.LABEL,
      description =
          "A directory with destinations, a destination, or a bucket; or db.table, of which then only"
              + " the own log is read, and those above.")
  private String path;

  @Option(
      names = "--ended",
      paramLabel = "<number>",
      defaultValue = "0",
      description =
          "How many of the jobs that have ended to show as well, the latest of each destination. The"
              + " log keeps them for 7 days. Up to three requests for each.")
  private int ended;

  /** The pending uploads that are alike. */
  private record Uploads(UploadState state, int count, long oldestSeconds) {}

  @Override
  public ExitCode run(Session session) throws IOException {
    boolean isPath = !Target.isTable(path);
    Target target = Target.of(path, session);
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      return session
          .output()
          .waiting(
              () -> run(target, isPath, stores, session),
              () -> store(target.path(), session.conf()) + ": " + sent(stores));
    }
  }

  private static String store(Path path, Configuration conf) {
    String endpoint = S3AFileSystems.endpointOf(ObjectKeys.bucketOf(path), conf);
    return "the store at %s, for %s".formatted(endpoint.isEmpty() ? "AWS" : endpoint, path);
  }

  private static String sent(ObjectStores stores) {
    long requests = stores.requests().values().stream().mapToLong(it -> it).sum();
    return Units.count(requests, "request") + " sent so far";
  }

  private ExitCode run(Target target, boolean isPath, S3AObjectStores stores, Session session)
      throws IOException {
    List<Path> directories = target.directories();
    CommitLogs logs = new CommitLogs(stores, session.conf());
    List<Destination> destinations =
        new StatusScan(target.path(), logs, session, ended).read(isPath);
    List<FoundUpload> uploads = List.of();
    List<Path> unlisted = directories;
    String why = PendingUploads.BY_KEY_ONLY;
    Instant now = Instant.EPOCH;
    ExitCode code = ExitCode.OK;
    try {
      PendingUploads pending = new PendingUploads(directories, stores, session.conf());
      uploads = pending.find();
      unlisted = pending.unlisted();
      now = pending.now();
    } catch (StoreException e) {
      why = ErrorText.of(e);
      session.output().warn("ZR-9119: Pending uploads cannot be listed: " + why);
      code = ExitCode.FAILED;
    }
    if (isPath && destinations.isEmpty() && uploads.isEmpty() && unlisted.isEmpty()) {
      requireObjects(target.path(), stores);
    }
    return code.and(print(destinations, session.output()))
        .and(print(uploads, unlisted, why, now, session.output()));
  }

  /** A path at which nothing is may be mistyped. */
  private static void requireObjects(Path directory, ObjectStores stores) throws IOException {
    if (!directory.isRoot()
        && !stores.forPath(directory).listObjects(ObjectKeys.prefixOf(directory)).hasNext()) {
      throw RecoveryRun.noLog(directory, "No object is there either: check the path.");
    }
  }

  /** What is open at destinations that have a log. */
  private ExitCode print(List<Destination> all, Output output) {
    List<Destination> shown = all.stream().filter(it -> !it.isQuiet()).toList();
    output.put("logs", all.size());
    output.put("destinations", shown);
    if (all.isEmpty()) {
      output.line(
          "No commit log is at or below %s: no job of the committer has written there."
              .formatted(path));
    } else if (shown.isEmpty()) {
      output.line(
          "No commit is open at or below %s; it has %s."
              .formatted(path, Units.count(all.size(), "commit log")));
    } else {
      output.table(rows(shown), Set.of(1, 3, 4));
      shown.forEach(it -> it.jobs().forEach(job -> job.explain(output)));
      output.line("");
    }
    ExitCode code = ExitCode.OK;
    for (Destination destination : shown) {
      boolean wrong = destination.jobs().stream().anyMatch(LoggedJob::isWrong);
      code = code.and(wrong ? ExitCode.FOUND : ExitCode.OK);
      code = code.and(destination.problem().isPresent() ? ExitCode.FAILED : ExitCode.OK);
      destination.problem().ifPresent(it -> output.line(destination.log() + ": " + it));
    }
    return code;
  }

  private static List<List<String>> rows(List<Destination> destinations) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("STATE", "ENTRY", "AGE", "FILES", "BYTES", "JOB", "DESTINATION"));
    for (Destination destination : destinations) {
      Path path = destination.destination();
      destination.jobs().forEach(job -> rows.add(job.row(path)));
      if (destination.problem().isPresent()) {
        rows.add(List.of("records cannot be read", "-", "-", "-", "-", "-", path.toString()));
      }
    }
    return rows;
  }

  /**
   * The pending uploads below some directories.
   *
   * @param unlisted those for which it is not known
   * @param why it is not
   * @param now by the clock of the store that has dated the uploads
   */
  private ExitCode print(
      List<FoundUpload> found, List<Path> unlisted, String why, Instant now, Output output) {
    Map<UploadState, List<Instant>> begun = new TreeMap<>();
    found.forEach(
        it -> begun.computeIfAbsent(it.state(), none -> new ArrayList<>()).add(it.initiated()));
    List<Uploads> uploads = new ArrayList<>();
    begun.forEach(
        (state, times) -> {
          Duration oldest =
              Duration.between(times.stream().sorted().findFirst().orElseThrow(), now);
          uploads.add(new Uploads(state, times.size(), oldest.toSeconds()));
          output.line(
              "%s, %s; the oldest is %s old."
                  .formatted(
                      Units.count(times.size(), "pending upload"),
                      state.text(),
                      Units.age(oldest)));
        });
    output.put("uploads", uploads);
    if (uploads.isEmpty() && unlisted.isEmpty()) {
      output.line("No upload is pending there.");
    }
    PendingUploads.report(unlisted, why, output);
    return begun.containsKey(UploadState.ORPHANED) ? ExitCode.FOUND : ExitCode.OK;
  }
}
