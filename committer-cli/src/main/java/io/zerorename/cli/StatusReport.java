package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
import io.zerorename.core.store.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;

/** Prints what {@code zerorename status} found. */
final class StatusReport {
  private final Duration staleAfter;
  private final Output output;
  private final Instant now = Instant.now();
  private final ArrayNode destinations;
  private final ArrayNode unlisted;
  private final TextTable table =
      new TextTable(
          Set.of(1, 3, 4), "STATE", "ENTRY", "AGE", "FILES", "BYTES", "JOB", "DESTINATION");
  private final List<LoggedJob> jobs = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final Map<UploadState, List<Instant>> uploads = new TreeMap<>();
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
    String destination = status.destination().toString();
    ObjectNode node = destinations.addObject().put("destination", destination);
    ArrayNode nodes = node.putArray("jobs");
    for (LoggedJob job : status.jobs()) {
      boolean stale = job.isStale(now, staleAfter);
      job.describe(nodes.addObject(), now, stale);
      table.row(job.row(now, stale));
      jobs.add(job);
      code = code.and(job.isWrong() ? ExitCode.FOUND : ExitCode.OK);
    }
    status
        .problem()
        .ifPresent(
            problem -> {
              node.put("problem", problem);
              table.row("records cannot be read", "-", "-", "-", "-", "-", destination);
              problems.add(status.log() + ": " + problem);
              code = code.and(ExitCode.FAILED);
            });
  }

  /** The pending uploads below some directories. */
  void add(List<FoundUpload> found) {
    for (FoundUpload upload : found) {
      uploads.computeIfAbsent(upload.state(), none -> new ArrayList<>()).add(upload.initiated());
      if (upload.state() == UploadState.ORPHANED
          && upload.initiated().plus(staleAfter).isBefore(now)) {
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
    if (uploads.isEmpty() && unlisted.isEmpty()) {
      output.line("No upload is pending there.");
    }
    uploads.forEach(
        (state, begun) -> {
          Duration oldest = Duration.between(Collections.min(begun), now);
          output.line(
              "%s, %s; the oldest is %s old."
                  .formatted(
                      Units.count(begun.size(), "pending upload"),
                      state.text(),
                      Units.age(oldest)));
          nodes
              .addObject()
              .put("state", Output.word(state))
              .put("count", begun.size())
              .put("oldestSeconds", oldest.toSeconds());
        });
  }
}
