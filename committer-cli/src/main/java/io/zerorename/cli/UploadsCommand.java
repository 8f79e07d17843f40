package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.recovery.FoundUpload;
import io.zerorename.core.recovery.PendingUploadScan;
import io.zerorename.core.recovery.UploadStatus;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename uploads}: the pending multipart uploads below a path. */
@Command(
    name = "uploads",
    description = "Lists or aborts pending multipart uploads.",
    subcommands = {UploadsCommand.ListUploads.class, UploadsCommand.AbortUploads.class},
    footer = {
      "  zerorename uploads list s3a://bucket/warehouse/db.db/table",
      "  zerorename uploads abort --older-than 7d s3a://bucket/warehouse/db.db/table"
    })
final class UploadsCommand {
  private UploadsCommand() {}

  /** A command on all pending uploads below a path. */
  private abstract static class OnUploads implements Subcommand {
    @Parameters(
        paramLabel = Target.LABEL,
        description =
            "The directory to search, or db.table: then also its partitions that lie elsewhere.")
    private String path;

    @Override
    public final ExitCode run(Session session) throws IOException {
      checkOptions();
      Target target = Target.of(path, session);
      Path directory = target.path();
      try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
        ClusterRecords records = ClusterRecords.findAndWarn(session);
        PendingUploadScan scan =
            records.uploads(Target.directories(List.of(target)), stores, session.conf());
        List<FoundUpload> uploads =
            scan.uploads(count -> session.progress().count("Uploads found", count));
        session.progress().clear();
        session.output().json().put("path", directory.toString());
        return run(directory, uploads, scan, session);
      }
    }

    void checkOptions() {}

    abstract ExitCode run(
        Path directory, List<FoundUpload> uploads, PendingUploadScan scan, Session session)
        throws IOException;
  }

  @Command(
      name = "list",
      description = {
        "Lists the pending multipart uploads below a path with their age, their job, and whether"
            + " they may be aborted.",
        "",
        "The job comes from the commit logs beside the directories above the path, and from the job"
            + " journals of the user who runs this: in zerorename.work.dir, MapReduce's staging"
            + " directory and Hive's scratch directory (hive.exec.scratchdir, or /tmp/hive). If one"
            + " of them cannot be read, no upload counts as unknown to us."
      },
      footer = {
        "  zerorename uploads list s3a://bucket/warehouse/db.db/table",
        "  zerorename uploads list db.table",
        "  zerorename uploads list --sizes --json s3a://bucket/warehouse"
      })
  static final class ListUploads extends OnUploads {
    @Option(
        names = "--sizes",
        description =
            "Also the bytes of each in the store, for one request per upload and 1,000 parts.")
    private boolean sizes;

    @Override
    ExitCode run(Path directory, List<FoundUpload> uploads, PendingUploadScan scan, Session session)
        throws IOException {
      Output output = session.output();
      ArrayNode entries = output.json().putArray("uploads");
      Instant now = scan.now();
      TextTable table = new TextTable(Set.of(0, 1), "AGE", "SIZE", "JOB", "STATE", "PATH");
      long bytes = 0;
      for (FoundUpload upload : uploads) {
        ObjectNode entry = entries.addObject();
        describe(upload, entry);
        String size = "?";
        if (sizes) {
          long kept = scan.size(upload);
          bytes += kept;
          size = Units.bytes(kept);
          entry.put("bytes", kept);
          session.progress().step("Sizes", entries.size(), uploads.size());
        }
        table.row(
            Units.age(Duration.between(upload.initiated(), now)),
            size,
            upload.jobId().orElse("-"),
            upload.status().text(),
            upload.path().toString());
      }
      session.progress().clear();
      if (uploads.isEmpty()) {
        output.line("No upload is pending below " + directory + ".");
        return ExitCode.OK;
      }
      table.print(output);
      output.line("");
      output.line(
          "%s%s."
              .formatted(
                  Units.count(uploads.size(), "pending upload"),
                  sizes
                      ? ", " + Units.bytes(bytes)
                      : "; --sizes shows their bytes, with a request for each"));
      advise(uploads, output);
      return ExitCode.OK;
    }

    private static void advise(List<FoundUpload> uploads, Output output) {
      if (uploads.stream().anyMatch(it -> it.status() == UploadStatus.COMMITTED)) {
        output.line(
            "Those of committed jobs are still needed: zerorename recover <destination> completes"
                + " them.");
      }
      if (uploads.stream().anyMatch(it -> it.status() == UploadStatus.ORPHANED)) {
        output.line("Orphaned uploads can go: zerorename uploads abort <path>");
      }
    }
  }

  @Command(
      name = "abort",
      description = {
        "Aborts the orphaned multipart uploads below a path: those of jobs that have ended. Without"
            + " --yes it only lists them.",
        "",
        "It never aborts uploads of a job that is committed and not complete, because files would be"
            + " lost. A job without a decision counts as running until none of its records has"
            + " changed for zerorename.abandoned.after; --now skips that wait. Such a job is aborted"
            + " as a whole and can commit no more.",
        "",
        "--all also aborts uploads that no record names, if they are older than"
            + " zerorename.abandoned.after: the records of other users' jobs cannot be seen here."
            + " --now aborts them at any age."
      },
      footer = {
        "  zerorename uploads abort s3a://bucket/warehouse/db.db/table",
        "  zerorename uploads abort --yes s3a://bucket/warehouse/db.db/table",
        "  zerorename uploads abort --all --older-than 7d --yes s3a://bucket/warehouse"
      })
  static final class AbortUploads extends OnUploads {
    @Option(
        names = "--older-than",
        paramLabel = "<time>",
        converter = Units.DurationReader.class,
        description = "Only uploads that are older, such as 7d, 12h or 30m.")
    private Duration olderThan;

    @Option(
        names = "--all",
        description =
            "Also uploads that no record names (perhaps another program's) and that are older than"
                + " zerorename.abandoned.after. Needs --older-than (more than 0) or --now.")
    private boolean all;

    @Option(
        names = "--now",
        description =
            "Also uploads of jobs that may be running, and with --all unknown ones of any age. Use it"
                + " only if you know that their processes are dead.")
    private boolean now;

    @Option(names = "--yes", description = "Aborts them.")
    private boolean yes;

    @Override
    void checkOptions() {
      if (all && !now && (olderThan == null || olderThan.isZero())) {
        throw new InputException(
            "ZR-9111: --all needs --older-than, such as 7d: uploads that are not known to us may be of a"
                + " program that is running. --now aborts them whatever their age.");
      }
    }

    @Override
    ExitCode run(Path directory, List<FoundUpload> uploads, PendingUploadScan scan, Session session)
        throws IOException {
      Output output = session.output();
      Duration silence = Duration.ofHours(CoreKeys.ABANDONED_AFTER.from(session.conf()));
      output.json().put("dryRun", !yes);
      ArrayNode chosen = output.json().putArray("uploads");
      ArrayNode left = output.json().putArray("leftAlone");
      List<FoundUpload> doomed = new ArrayList<>();
      Map<String, Integer> reasons = new LinkedHashMap<>();
      Instant present = scan.now();
      for (FoundUpload upload : uploads) {
        Optional<String> reason = reasonToKeep(upload, silence, present);
        ObjectNode entry = (reason.isPresent() ? left : chosen).addObject();
        describe(upload, entry);
        if (reason.isPresent()) {
          entry.put("reason", reason.get());
          reasons.merge(reason.get(), 1, Integer::sum);
        } else {
          doomed.add(upload);
          output.line(
              "%s %s, %s old, %s%s"
                  .formatted(
                      yes ? "aborting" : "would abort",
                      upload.path(),
                      Units.age(Duration.between(upload.initiated(), present)),
                      upload.jobId().map(id -> "job " + id + ", ").orElse(""),
                      upload.status().text()));
        }
      }
      reasons.forEach((reason, count) -> output.line(count + " left alone: " + reason));
      if (doomed.isEmpty()) {
        output.line("There is no upload to abort below " + directory + ".");
        return ExitCode.OK;
      }
      if (!yes) {
        output.line(
            "Nothing was aborted yet. Add --yes to abort %s."
                .formatted(Units.count(doomed.size(), "upload")));
        return ExitCode.FOUND;
      }
      return print(scan.abort(doomed), output);
    }

    private static ExitCode print(PendingUploadScan.Result result, Output output) {
      output.json().put("aborted", result.aborted()).put("bytes", result.bytes());
      output.line(
          "%s %s aborted, %s freed."
              .formatted(
                  Units.count(result.aborted(), "upload"),
                  result.aborted() == 1 ? "was" : "were",
                  Units.bytes(result.bytes())));
      ArrayNode abortedJobs = output.json().putArray("abortedJobs");
      for (String id : result.abortedJobs()) {
        abortedJobs.add(id);
        output.line("Job " + id + " was aborted as a whole and can commit no more.");
      }
      ArrayNode committed = output.json().putArray("committedMeanwhile");
      for (String id : result.committedMeanwhile()) {
        committed.add(id);
        output.line("Job " + id + " was committed meanwhile, and its uploads were left alone.");
      }
      return committed.isEmpty() ? ExitCode.OK : ExitCode.UNDER_WAY;
    }

    /**
     * Why an upload is left alone; empty where it is to be aborted.
     *
     * @param silence after which a job without a decision counts as dead
     */
    Optional<String> reasonToKeep(FoundUpload upload, Duration silence, Instant present) {
      if (olderThan != null && upload.initiated().plus(olderThan).isAfter(present)) {
        return Optional.of("not older than " + Units.age(olderThan));
      }
      String reason =
          switch (upload.status()) {
            case COMMITTED ->
                "its job is committed and not complete; zerorename recover <destination> completes"
                    + " it";
            case UNREADABLE ->
                "records that may say that it is committed cannot be read; zerorename jobs"
                    + " <destination> shows them";
            case UNDECIDED ->
                now || !upload.active().plus(silence).isAfter(present)
                    ? null
                    : "its job may be running; --now aborts it if you know that it is dead";
            case UNKNOWN -> {
              if (!all) {
                yield "not known to us; --all aborts those of other programs as well";
              }
              yield now || !upload.initiated().plus(silence).isAfter(present)
                  ? null
                  : ("not known to us, and not older than %s, %s: it may be of a job whose records"
                          + " cannot be seen here; --now aborts it if you know that no process writes"
                          + " there")
                      .formatted(CoreKeys.ABANDONED_AFTER.name(), Units.age(silence));
            }
            case ORPHANED -> null;
          };
      return Optional.ofNullable(reason);
    }
  }

  private static void describe(FoundUpload upload, ObjectNode entry) {
    entry.put("path", upload.path().toString());
    entry.put("uploadId", upload.uploadId());
    entry.put("initiated", upload.initiated().toString());
    entry.put("job", upload.jobId().orElse(null));
    entry.put("state", Output.word(upload.status()));
  }
}
