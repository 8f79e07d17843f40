package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.store.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;

/** Prints what {@code zerorename status} found. */
final class StatusReport {
  /** Classes of age of uploads, with their titles. */
  private enum Age {
    HOUR("under 1 h", Duration.ofHours(1)),
    DAY("1 h to 1 d", Duration.ofDays(1)),
    WEEK("1 d to 7 d", Duration.ofDays(7)),
    OLDER("over 7 d", Duration.ofSeconds(Long.MAX_VALUE));

    private final String title;
    private final Duration end;

    Age(String title, Duration end) {
      this.title = title;
      this.end = end;
    }

    static Age of(Duration age) {
      return List.of(values()).stream().filter(it -> age.compareTo(it.end) < 0).findFirst().get();
    }
  }

  /** Uploads of one state and age. */
  private record Uploads(UploadState state, Age age) {
    static final Comparator<Uploads> OLDEST_FIRST =
        Comparator.comparing(Uploads::age).reversed().thenComparing(Uploads::state);
  }

  private final Duration staleAfter;
  private final Output output;
  private final Instant now = Instant.now();
  private final ArrayNode destinations;
  private final ArrayNode unlisted;
  private final TextTable table =
      new TextTable(
          Set.of(1, 3, 4), "STATE", "ENTRY", "AGE", "FILES", "BYTES", "JOB", "DESTINATION");
  private final List<ShownJob> jobs = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final Map<Uploads, Long> uploads = new TreeMap<>(Uploads.OLDEST_FIRST);
  private int logs;
  private ExitCode code = ExitCode.OK;

  StatusReport(Duration staleAfter, Session session) {
    this.staleAfter = staleAfter;
    this.output = session.output();
    output.json().put("staleAfterSeconds", staleAfter.toSeconds());
    destinations = output.json().putArray("destinations");
    unlisted = output.json().putArray("uploadsNotListed");
  }

  /** A destination with a log. */
  void add(StatusScan.Destination status) {
    logs++;
    if (status.jobs().isEmpty() && status.problem().isEmpty()) {
      return;
    }
    ObjectNode node = destinations.addObject().put("destination", status.destination().toString());
    ArrayNode nodes = node.putArray("jobs");
    for (LoggedJob found : status.jobs()) {
      ShownJob job = ShownJob.of(found, status.destination(), now, staleAfter);
      job.describe(nodes.addObject());
      table.row(job.row());
      jobs.add(job);
      code = code.and(job.isWrong() ? ExitCode.FOUND : ExitCode.OK);
    }
    status
        .problem()
        .ifPresent(
            problem -> {
              node.put("problem", problem);
              table.row(
                  "records cannot be read",
                  "-",
                  "-",
                  "-",
                  "-",
                  "-",
                  status.destination().toString());
              problems.add(status.log() + ": " + problem);
              code = code.and(ExitCode.FAILED);
            });
  }

  private boolean isOld(Instant since) {
    return since.plus(staleAfter).isBefore(now);
  }

  /** The pending uploads below some directories. */
  void add(List<FoundUpload> found) {
    for (FoundUpload upload : found) {
      Age age = Age.of(Duration.between(upload.initiated(), now));
      uploads.merge(new Uploads(upload.state(), age), 1L, Long::sum);
      if (upload.state() == UploadState.ORPHANED && isOld(upload.initiated())) {
        code = code.and(ExitCode.FOUND);
      }
    }
  }

  /** Below this directory the store does not list uploads. */
  void addUnlisted(Path directory) {
    unlisted.add(directory.toString());
    problems.add(
        "Whether uploads are pending below "
            + directory
            + " cannot be seen: the store, MinIO, lists uploads by their exact key only.");
  }

  /** Uploads cannot be listed now. */
  void addUnseen(List<Path> directories, IOException failure) {
    directories.forEach(directory -> unlisted.add(directory.toString()));
    output.warn("ZR-9119: Pending uploads cannot be listed: " + ErrorText.of(failure));
    code = code.and(ExitCode.FAILED);
  }

  /** Whether neither a commit log nor an upload was found, and everything was seen. */
  boolean isEmpty() {
    return logs == 0 && uploads.isEmpty() && unlisted.isEmpty();
  }

  ExitCode print(String what) {
    output.json().put("logs", logs);
    if (!destinations.isEmpty()) {
      table.print(output);
      jobs.forEach(job -> job.explain(output));
      output.line("");
    } else {
      output.line(
          logs == 0
              ? "No commit log is at or below %s: no job of the committer has written there."
                  .formatted(what)
              : "No commit is open at or below %s; it has %s."
                  .formatted(what, Units.count(logs, "commit log")));
    }
    printUploads();
    problems.forEach(output::line);
    return code;
  }

  private void printUploads() {
    ArrayNode nodes = output.json().putArray("uploads");
    TextTable ofUploads = new TextTable(Set.of(0), "UPLOADS", "AGE", "STATE");
    uploads.forEach(
        (kind, count) -> {
          ofUploads.row(Units.count(count), kind.age().title, kind.state().text());
          nodes
              .addObject()
              .put("state", Output.word(kind.state()))
              .put("age", kind.age().title)
              .put("count", count);
        });
    if (!uploads.isEmpty()) {
      ofUploads.print(output);
      if (!problems.isEmpty() || !destinations.isEmpty()) {
        output.line("");
      }
    } else if (unlisted.isEmpty()) {
      output.line("No upload is pending there.");
    }
  }
}
