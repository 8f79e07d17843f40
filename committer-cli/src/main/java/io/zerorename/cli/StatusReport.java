package io.zerorename.cli;

import io.zerorename.cli.StatusScan.Destination;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;

/** Prints what {@code zerorename status} found. */
record StatusReport(Output output, Duration staleAfter) {
  /** The pending uploads that are alike. */
  private record Uploads(UploadState state, int count, long oldestSeconds) {}

  /** What is open at destinations that have a log. */
  ExitCode logs(String what, List<Destination> all) {
    List<Destination> shown = all.stream().filter(it -> !it.isQuiet()).toList();
    output.put("staleAfterSeconds", staleAfter.toSeconds());
    output.put("logs", all.size());
    output.put("destinations", shown);
    if (all.isEmpty()) {
      output.line(
          "No commit log is at or below %s: no job of the committer has written there."
              .formatted(what));
    } else if (shown.isEmpty()) {
      output.line(
          "No commit is open at or below %s; it has %s."
              .formatted(what, Units.count(all.size(), "commit log")));
    } else {
      table(shown).print(output);
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

  private static TextTable table(List<Destination> destinations) {
    TextTable table =
        new TextTable(
            Set.of(1, 3, 4), "STATE", "ENTRY", "AGE", "FILES", "BYTES", "JOB", "DESTINATION");
    for (Destination destination : destinations) {
      Path path = destination.destination();
      destination.jobs().forEach(job -> job.addTo(table, path));
      if (destination.problem().isPresent()) {
        table.row("records cannot be read", "-", "-", "-", "-", "-", path.toString());
      }
    }
    return table;
  }

  /**
   * The pending uploads below some directories.
   *
   * @param unlisted those for which it is not known
   * @param why it is not
   */
  ExitCode uploads(List<FoundUpload> found, List<Path> unlisted, String why) {
    Instant now = Instant.now();
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
    output.put("uploadsNotListed", unlisted);
    if (uploads.isEmpty() && unlisted.isEmpty()) {
      output.line("No upload is pending there.");
    }
    unlisted.forEach(
        it ->
            output.line(
                "Whether uploads are pending below %s cannot be seen: %s.".formatted(it, why)));
    boolean stale =
        begun.getOrDefault(UploadState.ORPHANED, List.of()).stream()
            .anyMatch(it -> it.plus(staleAfter).isBefore(now));
    return stale ? ExitCode.FOUND : ExitCode.OK;
  }
}
