package io.zerorename.cli.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.cli.command.TextTable;
import io.zerorename.cli.command.Units;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename report}: prints a job's report. */
@Command(
    name = "report",
    description =
        "Shows a job's _SUCCESS, or its report in zerorename.report.dir: files, bytes, the time of each"
            + " stage of the commit, and its requests. Also those of S3A's committers.",
    footer = {
      "  zerorename report s3a://bucket/output",
      "  zerorename report --html commit.html s3a://bucket/output/_SUCCESS",
      "  zerorename report --json hdfs:///reports/5b1f0c7e.json"
    })
public final class ReportCommand implements Subcommand {
  private static final int SHOWN = 10;

  @Parameters(
      paramLabel = "<report>",
      description = "A _SUCCESS, its directory, or a report, on any file system.")
  private String report;

  @Option(
      names = "--html",
      paramLabel = "<file>",
      description = "Also writes a page with charts to this local file.")
  private String html;

  @Override
  public ExitCode run(Session session) throws IOException {
    JobReportFile record = new JobReportReader(session.conf()).read(report);
    Output output = session.output();
    describe(record, output.json());
    print(record, output);
    if (html != null) {
      Path page = write(new ReportPage(record).build());
      output.json().put("html", page.toString());
      output.line("");
      output.line("The page with charts is " + page);
    }
    return record.success() ? ExitCode.OK : ExitCode.FOUND;
  }

  private Path write(String page) throws IOException {
    try {
      Path file = Path.of(html);
      Files.writeString(file, page, StandardCharsets.UTF_8);
      return file.toAbsolutePath();
    } catch (IOException | InvalidPathException e) {
      throw new InputException("ZR-9504: --html " + html + " cannot be written: " + e, e);
    }
  }

  private static void describe(JobReportFile record, ObjectNode json) {
    json.put("report", record.source().toString());
    json.put("committer", record.committer());
    json.put("job", record.jobId());
    json.put("description", record.description());
    json.put("state", record.state());
    json.put("date", record.date());
    json.put("host", record.host());
    ObjectNode metrics = json.putObject("metrics");
    record.metrics().forEach(metrics::put);
    ObjectNode diagnostics = json.putObject("diagnostics");
    record.diagnostics().forEach(diagnostics::put);
    ArrayNode files = json.putArray("files");
    record.files().forEach(files::add);
  }

  private static void print(JobReportFile record, Output output) {
    ReportSummary summary = new ReportSummary(record);
    output.line(summary.title());
    output.line("  job         " + record.jobId());
    output.line("  state       " + record.state() + ", " + record.date() + " on " + record.host());
    output.line("  committer   " + record.committer());
    summary.facts().forEach((name, value) -> output.line("  %-11s %s".formatted(name, value)));
    table("STAGE", "SECONDS", summary.stages(), ReportSummary::seconds, output);
    table("REQUESTS", "COUNT", summary.requests(), Units::count, output);
    if (!summary.requests().isEmpty()) {
      output.line(
          "Those until this report was written; the job's log line also has those for the report and"
              + " for the end of its entry.");
    }
    if (summary.stages().isEmpty() && summary.requests().isEmpty()) {
      table("METRIC", "VALUE", record.metrics(), Units::count, output);
    }
    if (!record.diagnostics().isEmpty()) {
      output.line("");
      record.diagnostics().forEach((name, value) -> output.line(name + ": " + value));
    }
    if (!record.files().isEmpty()) {
      output.line("");
      output.line("Files, the first " + Math.min(SHOWN, record.files().size()) + ":");
      record.files().stream().limit(SHOWN).forEach(file -> output.line("  " + file));
    }
  }

  private static void table(
      String name,
      String value,
      Map<String, Long> numbers,
      LongFunction<String> format,
      Output output) {
    if (numbers.isEmpty()) {
      return;
    }
    output.line("");
    TextTable table = new TextTable(Set.of(1), name, value);
    numbers.forEach((key, number) -> table.row(key, format.apply(number)));
    table.print(output);
  }
}
