package io.zerorename.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
    description = {
      "Lists the pending multipart uploads below a path with their age, their job, and which can go:"
          + " those of jobs that have ended. With --abort it aborts these. It never aborts uploads of"
          + " a job that is committed and not complete, because files would be lost.",
      "",
      "The job is the one whose id the key carries; the commit logs of the directories above say how"
          + " it stands. If one of them cannot be read, no upload counts as undecided.",
      "",
      "With --older-than those of jobs without an entry in the commit log can go too, if the job has"
          + " begun no upload here since. Whether such a job is running or was killed is not known."
          + " So give more time than any job takes: after 7 days no job can be committed any more."
          + " The job is decided against first: if it runs, it fails, and nothing of it is visible."
    },
    footer = {
      "  zerorename uploads s3a://bucket/warehouse/db.db/table",
      "  zerorename uploads --sizes --json s3a://bucket/warehouse",
      "  zerorename uploads --abort db.table",
      "  zerorename uploads --abort --older-than 7d s3a://bucket/warehouse"
    })
final class UploadsCommand implements Subcommand {
  @Parameters(
      paramLabel = Target.LABEL,
      description =
          "The directory to search, or db.table: then also its partitions that lie elsewhere.")
  private String path;

  @Option(
      names = "--sizes",
      description =
          "Also the bytes of each in the store, for one request per upload and 1,000 parts.")
  private boolean sizes;

  @Option(
      names = "--older-than",
      paramLabel = "<time>",
      converter = Units.DurationReader.class,
      description =
          "Only uploads that are older can go, such as 7d, 12h or 30m; those of jobs that are not"
              + " decided as well.")
  private Duration olderThan;

  @Option(names = "--abort", description = "Aborts those that can go.")
  private boolean abort;

  /** An upload as it is printed. */
  private record Listed(@JsonUnwrapped FoundUpload upload, boolean canGo, Optional<Long> bytes) {}

  @Override
  public ExitCode run(Session session) throws IOException {
    Target target = Target.of(path, session);
    Output output = session.output();
    output.put("path", target.path());
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      PendingUploads pending = new PendingUploads(target.directories(), stores, session.conf());
      List<FoundUpload> canGo = list(pending, output);
      if (abort) {
        return abort(canGo, pending, output);
      }
      if (!canGo.isEmpty()) {
        output.line(Units.count(canGo.size()) + " can go: add --abort.");
      }
      return ExitCode.OK;
    }
  }

  /** Returns those that can go. */
  private List<FoundUpload> list(PendingUploads pending, Output output) throws IOException {
    List<FoundUpload> uploads = pending.find();
    Instant now = pending.now();
    List<List<String>> table = new ArrayList<>();
    table.add(List.of("AGE", "SIZE", "JOB", "STATE", "PATH"));
    Map<String, Integer> reasons = new LinkedHashMap<>();
    List<Listed> listed = new ArrayList<>();
    for (FoundUpload upload : uploads) {
      Optional<String> reason = reasonToKeep(upload, now);
      reason.ifPresent(it -> reasons.merge(it, 1, Integer::sum));
      Optional<Long> size = sizes ? Optional.of(pending.size(upload)) : Optional.empty();
      listed.add(new Listed(upload, reason.isEmpty(), size));
      output.progress("Uploads", listed.size(), uploads.size());
      table.add(
          List.of(
              Units.age(Duration.between(upload.initiated(), now)),
              size.map(Units::bytes).orElse("?"),
              upload.job().orElse("-"),
              upload.state().text(),
              upload.path().toString()));
    }
    output.put("uploads", listed);
    List<Path> unlisted = pending.unlisted();
    PendingUploads.report(unlisted, PendingUploads.BY_KEY_ONLY, output);
    if (uploads.isEmpty()) {
      if (unlisted.isEmpty()) {
        output.line("No upload is pending below " + path + ".");
      }
      return List.of();
    }
    output.table(table, Set.of(0, 1));
    output.line("");
    long bytes = listed.stream().mapToLong(it -> it.bytes().orElse(0L)).sum();
    output.line(
        "%s%s."
            .formatted(
                Units.count(uploads.size(), "pending upload"),
                sizes ? ", " + Units.bytes(bytes) : "; --sizes shows their bytes"));
    reasons.forEach((reason, count) -> output.line(Units.count(count) + " stay: " + reason));
    return listed.stream().filter(Listed::canGo).map(Listed::upload).toList();
  }

  private static ExitCode abort(List<FoundUpload> canGo, PendingUploads pending, Output output)
      throws IOException {
    List<String> abortedJobs = new ArrayList<>();
    List<String> spared = new ArrayList<>();
    output.put("abortedJobs", abortedJobs);
    output.put("committedMeanwhile", spared);
    try {
      pending.abort(canGo, abortedJobs, spared);
    } finally {
      // Also where an upload could not be aborted: others were, and the job was before.
      output.put("aborted", pending.aborted());
      output.line(Units.count(pending.aborted(), "upload") + " aborted.");
      for (String id : abortedJobs) {
        output.line("Job " + id + " was aborted as a whole and can commit no more.");
      }
      for (String id : spared) {
        output.line("Job " + id + " was committed meanwhile, and its uploads were left alone.");
      }
    }
    return spared.isEmpty() ? ExitCode.OK : ExitCode.UNDER_WAY;
  }

  /** Why an upload must not be aborted; empty where it can go. */
  Optional<String> reasonToKeep(FoundUpload upload, Instant now) {
    return Optional.ofNullable(
        switch (upload.state()) {
          case COMMITTED ->
              "needed by a commit that is not complete; zerorename recover <destination> completes"
                  + " it";
          case UNREADABLE ->
              "records that may need them cannot be read; zerorename status <destination> shows"
                  + " them";
          case UNDECIDED ->
              olderThan == null || olderThan.isZero()
                  ? "of jobs that are not decided and may be running; --older-than names a time that"
                      + " none takes"
                  : isYoung(upload.jobActive(), now)
                      ? "of jobs that may be running: they have begun an upload within the last "
                          + Units.age(olderThan)
                      : null;
          case UNKNOWN ->
              "not known to us: no id of a job in the key, or no commit log; their program or the"
                  + " bucket's lifecycle rule aborts them";
          case ORPHANED ->
              isYoung(upload.initiated(), now) ? "not older than " + Units.age(olderThan) : null;
        });
  }

  private boolean isYoung(Instant begun, Instant now) {
    return olderThan != null && begun.plus(olderThan).isAfter(now);
  }
}
