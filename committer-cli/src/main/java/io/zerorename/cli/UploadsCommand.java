package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
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
      Target target = Target.of(path, session);
      Path directory = target.path();
      try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
        PendingUploads pending =
            new PendingUploads(Target.directories(List.of(target)), stores, session.conf());
        List<FoundUpload> uploads =
            pending.find(count -> session.progress().count("Uploads found", count));
        session.progress().clear();
        session.output().json().put("path", directory.toString());
        return run(directory, uploads, pending, session);
      }
    }

    abstract ExitCode run(
        Path directory, List<FoundUpload> uploads, PendingUploads pending, Session session)
        throws IOException;
  }

  @Command(
      name = "list",
      description = {
        "Lists the pending multipart uploads below a path with their age, their job, and whether"
            + " they may be aborted.",
        "",
        "The job is the one whose id the key carries; the commit logs of the directories above say"
            + " how it stands. If one of them cannot be read, no upload counts as undecided."
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
    ExitCode run(Path directory, List<FoundUpload> uploads, PendingUploads pending, Session session)
        throws IOException {
      Output output = session.output();
      ArrayNode entries = output.json().putArray("uploads");
      Instant now = pending.now();
      TextTable table = new TextTable(Set.of(0, 1), "AGE", "SIZE", "JOB", "STATE", "PATH");
      long bytes = 0;
      for (FoundUpload upload : uploads) {
        ObjectNode entry = entries.addObject();
        upload.describe(entry);
        String size = "?";
        if (sizes) {
          long kept = pending.size(upload);
          bytes += kept;
          size = Units.bytes(kept);
          entry.put("bytes", kept);
          session.progress().step("Sizes", entries.size(), uploads.size());
        }
        table.row(
            Units.age(Duration.between(upload.initiated(), now)),
            size,
            upload.jobId().orElse("-"),
            upload.state().text(),
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
      if (uploads.stream().anyMatch(it -> it.state() == UploadState.COMMITTED)) {
        output.line(
            "Those of committed jobs are still needed: zerorename recover <destination> completes"
                + " them.");
      }
      if (uploads.stream().anyMatch(it -> it.state() == UploadState.ORPHANED)) {
        output.line("Orphaned uploads can go: zerorename uploads abort <path>");
      }
    }
  }

  @Command(
      name = "abort",
      description = {
        "Aborts the orphaned multipart uploads below a path: those of jobs that have ended. Without"
            + " --yes it only lists them. It never aborts uploads of a job that is committed and not"
            + " complete, because files would be lost.",
        "",
        "--older-than also aborts those of jobs without an entry in the commit log, if the job has"
            + " begun no upload here since. Whether such a job is running or was killed is not known."
            + " So give more time than any job takes: after 7 days no job can be committed any more."
            + " The job is decided against first: if it runs, it fails, and nothing of it is visible."
      },
      footer = {
        "  zerorename uploads abort s3a://bucket/warehouse/db.db/table",
        "  zerorename uploads abort --yes s3a://bucket/warehouse/db.db/table",
        "  zerorename uploads abort --older-than 7d --yes s3a://bucket/warehouse"
      })
  static final class AbortUploads extends OnUploads {
    @Option(
        names = "--older-than",
        paramLabel = "<time>",
        converter = Units.DurationReader.class,
        description =
            "Only uploads that are older, such as 7d, 12h or 30m; those of jobs that are not decided"
                + " as well.")
    private Duration olderThan;

    @Option(names = "--yes", description = "Aborts them.")
    private boolean yes;

    @Override
    ExitCode run(Path directory, List<FoundUpload> uploads, PendingUploads pending, Session session)
        throws IOException {
      Output output = session.output();
      output.json().put("dryRun", !yes);
      ArrayNode chosen = output.json().putArray("uploads");
      ArrayNode left = output.json().putArray("leftAlone");
      List<FoundUpload> doomed = new ArrayList<>();
      Map<String, Integer> reasons = new LinkedHashMap<>();
      Instant present = pending.now();
      for (FoundUpload upload : uploads) {
        Optional<String> reason = reasonToKeep(upload, present);
        ObjectNode entry = (reason.isPresent() ? left : chosen).addObject();
        upload.describe(entry);
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
                      upload.state().text()));
        }
      }
      reasons.forEach((reason, count) -> output.line(count + " left alone: " + reason));
      if (doomed.isEmpty()) {
        output.line("There is no upload to abort below " + directory + ".");
        return ExitCode.OK;
      }
      if (doomed.stream().anyMatch(it -> it.state() == UploadState.UNDECIDED)) {
        output.line(
            "Whether jobs that are not decided still run is not known: the log has no entry of them,"
                + " and an id may be another program's. Those that run will fail.");
      }
      if (!yes) {
        output.line(
            "Nothing was aborted yet. Add --yes to abort %s."
                .formatted(Units.count(doomed.size(), "upload")));
        return ExitCode.FOUND;
      }
      return print(pending.abort(doomed), output);
    }

    private static ExitCode print(PendingUploads.Result result, Output output) {
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

    /** Why an upload is left alone; empty where it is to be aborted. */
    Optional<String> reasonToKeep(FoundUpload upload, Instant present) {
      return Optional.ofNullable(
          switch (upload.state()) {
            case COMMITTED ->
                "its job is committed and not complete; zerorename recover <destination> completes"
                    + " it";
            case UNREADABLE ->
                "records that may say that it is committed cannot be read; zerorename status"
                    + " <destination> shows them";
            case UNDECIDED ->
                olderThan == null || olderThan.isZero()
                    ? "its job may be running, because it is not decided; --older-than aborts those"
                        + " of jobs that are older than any that runs"
                    : isYoung(upload.jobActive(), present)
                        ? "its job may be running, because it has begun an upload within the last "
                            + Units.age(olderThan)
                        : null;
            case UNKNOWN ->
                "not known to us: its key has no id of a job, or there is no commit log of its"
                    + " directory; the program that began it, or the bucket's lifecycle rule, aborts"
                    + " it";
            case ORPHANED ->
                isYoung(upload.initiated(), present)
                    ? "not older than " + Units.age(olderThan)
                    : null;
          });
    }

    private boolean isYoung(Instant begun, Instant present) {
      return olderThan != null && begun.plus(olderThan).isAfter(present);
    }
  }
}
