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
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.recovery.JobHistory;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.recovery.LoggedJob.State;
import io.zerorename.core.s3a.S3AObjectStores;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename jobs}: the state of each job that wrote to a destination. */
@Command(
    name = "jobs",
    description = {
      "Shows the state and the figures of each job that wrote to a table's location or a destination,"
          + " the latest first, as long as the commit log keeps it (7 days). A partition has the jobs"
          + " of its table. It changes nothing.",
      "",
      "Jobs without an entry in the log, which run or were killed, are found in the user's own records"
          + " in zerorename.work.dir, MapReduce's staging directory and Hive's scratch directory."
    },
    footer = {
      "  zerorename jobs s3a://bucket/warehouse/db.db/table",
      "  zerorename jobs db.table",
      "  zerorename jobs --limit 5 --json s3a://bucket/output"
    })
final class JobsCommand implements Subcommand {
  @Parameters(
      paramLabel = Target.LABEL,
      description = "The table's location or the destination, or db.table.")
  private String path;

  @Option(
      names = "--limit",
      paramLabel = "<number>",
      defaultValue = "50",
      description =
          "How many of the ended jobs to show, the latest of all logs, by default ${DEFAULT-VALUE};"
              + " jobs that have not ended are always shown.")
  private int limit;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (limit < 0) {
      throw new InputException("ZR-9101: --limit " + limit + " is less than 0");
    }
    Path destination = Target.of(path, session).path();
    ClusterRecords records = ClusterRecords.findAndWarn(session);
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      LogSearch logs = new LogSearch(stores, records, session.conf());
      List<LoggedJob> jobs = read(destination, logs);
      if (jobs.isEmpty() && records.unseen().isEmpty()) {
        logs.require(destination, LogSearch.JOBS_ELSEWHERE, session.output());
      }
      return print(destination, jobs, session.output());
    }
  }

  private List<LoggedJob> read(Path destination, LogSearch logs) throws IOException {
    Map<Path, List<JobDirectory>> begun = logs.records().begun();
    List<LoggedJob> jobs = new ArrayList<>();
    logs.anyUpwards(
        destination,
        log -> {
          List<JobDirectory> ofLog = begun.getOrDefault(log, List.of());
          jobs.addAll(new JobHistory(logs.at(log), ofLog).latest(limit));
          // The other logs are read as well.
          return false;
        });
    return latest(jobs);
  }

  /** Each log had an order and a limit of its own. */
  private List<LoggedJob> latest(List<LoggedJob> jobs) {
    List<LoggedJob> latest = new ArrayList<>();
    int ended = 0;
    for (LoggedJob job :
        jobs.stream().sorted(Comparator.comparing(LoggedJob::when).reversed()).toList()) {
      if (!job.state().isEnded() || ended++ < limit) {
        latest.add(job);
      }
    }
    return latest;
  }

  private static ExitCode print(Path destination, List<LoggedJob> jobs, Output output) {
    output.json().put("path", destination.toString());
    ArrayNode entries = output.json().putArray("jobs");
    TextTable table =
        new TextTable(
            Set.of(0, 4, 5, 6), "ENTRY", "WHEN", "JOB", "STATE", "FILES", "BYTES", "REPLACED");
    for (LoggedJob job : jobs) {
      describe(job, entries.addObject(), destination);
      table.row(
          job.number().isPresent() ? String.valueOf(job.number().getAsLong()) : "-",
          job.when().truncatedTo(ChronoUnit.SECONDS).toString(),
          job.id(),
          job.state().text(),
          job.totals().map(it -> Units.count(it.files())).orElse("-"),
          job.totals().map(it -> Units.bytes(it.bytes())).orElse("-"),
          job.totals().map(it -> Units.count(it.replaced())).orElse("-"));
    }
    if (jobs.isEmpty()) {
      output.line("No job is known that wrote to " + destination + ".");
      output.line("  " + LogSearch.JOBS_ELSEWHERE);
      return ExitCode.OK;
    }
    table.print(output);
    ExitCode code = ExitCode.OK;
    for (LoggedJob job : jobs) {
      Optional<String> advice = advice(job, destination);
      if (advice.isPresent()) {
        output.line("");
        output.line(title(job));
        job.problem().ifPresent(problem -> output.line("  " + problem));
        job.lost().forEach(file -> output.line("  lost: " + file));
        output.line("  " + advice.get());
        code = code.and(isWrong(job.state()) ? ExitCode.FOUND : ExitCode.OK);
      }
    }
    return code;
  }

  private static String title(LoggedJob job) {
    return "%s%s%s:"
        .formatted(
            job.number().isPresent() ? "Entry " + job.number().getAsLong() + ", job " : "Job ",
            job.id(),
            job.description().map(it -> ", " + it).orElse(""));
  }

  /** Whether files are lost, or the user has something left to do. */
  static boolean isWrong(State state) {
    return state == State.DAMAGED || (!state.isEnded() && state != State.BEGUN);
  }

  private static void describe(LoggedJob job, ObjectNode entry, Path destination) {
    job.number().ifPresent(number -> entry.put("entry", number));
    entry.put("job", job.id());
    entry.put("when", job.when().toString());
    entry.put("state", Output.word(job.state()));
    job.description().ifPresent(text -> entry.put("description", text));
    job.totals()
        .ifPresent(
            totals ->
                entry
                    .put("files", totals.files())
                    .put("bytes", totals.bytes())
                    .put("replaced", totals.replaced()));
    if (isLostUnknown(job)) {
      entry.putNull("lost");
    } else {
      ArrayNode lost = entry.putArray("lost");
      job.lost().forEach(file -> lost.add(file.toString()));
    }
    job.problem().ifPresent(problem -> entry.put("problem", problem));
    advice(job, destination).ifPresent(text -> entry.put("next", text));
  }

  /** What cannot be read does not name its files. */
  private static boolean isLostUnknown(LoggedJob job) {
    return job.problem().isPresent();
  }

  private static Optional<String> advice(LoggedJob job, Path destination) {
    String recover = "zerorename recover " + destination;
    String advice =
        switch (job.state()) {
          case BEGUN ->
              "It is running, or was killed; a later job of the same user aborts it after"
                  + " zerorename.abandoned.after.";
          case COMMITTED ->
              "It is being executed, or was interrupted: " + recover + " completes it.";
          case LEFT ->
              job.lost().isEmpty()
                  ? "It was interrupted, and completing it could bring back what others have removed"
                      + " since. Look at the data; "
                      + recover
                      + " completes it."
                  : "The other files are visible, and those that it replaces as well. "
                      + recover
                      + " --give-up ends it without the lost ones, and deletes what it replaces.";
          case METASTORE_OPEN ->
              "The next INSERT into that table registers its partitions. Without one: "
                  + recover
                  + " --without-metastore, and the statements that it prints.";
          case DAMAGED ->
              "The other files are visible. Load only the lost rows again, in a new job: rows that are"
                  + " visible would be there twice.";
          case FORCE_CLOSED ->
              isLostUnknown(job)
                  ? "It was ended as it is, and which of its files are lost is not known. Look at the"
                      + " data, and run it again."
                  : job.lost().isEmpty()
                      ? null
                      : "It was ended without them. Load only the lost rows again, in a new job.";
          case UNREADABLE -> "Restore its records, or end it as it is: " + recover + " --give-up";
          case COMPLETE, SUPERSEDED, ABORTED -> null;
        };
    return Optional.ofNullable(advice);
  }
}
