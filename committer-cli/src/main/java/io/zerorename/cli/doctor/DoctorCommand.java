package io.zerorename.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename doctor}. */
@Command(
    name = "doctor",
    description = {
      "Checks whether this cluster is set up for the committer: versions, hooks, settings, and for"
          + " a path the permissions and abilities of its bucket. Prints what is wrong, and the"
          + " exact property to set or action to grant.",
      "",
      "With a path it writes objects below the commit directory and removes them again."
    },
    footer = {
      "  zerorename doctor",
      "  zerorename doctor --conf-dir /etc/hive/conf s3a://bucket/warehouse/db.db/table",
      "  zerorename doctor --read-only --json s3a://bucket/warehouse"
    })
public final class DoctorCommand implements Subcommand {
  private static final int OUTCOME_WIDTH = 11;

  @Parameters(
      arity = "0..1",
      paramLabel = "<path>",
      description = "A table's location or a job's destination, whose bucket is checked too.")
  private String path;

  @Option(
      names = "--read-only",
      description = "Writes nothing, and does not check permissions to write.")
  private boolean readOnly;

  @Override
  public ExitCode run(Session session) throws IOException {
    // Checks of the cluster are about Hadoop's own files.
    Configuration ofBucket = SparkDefaults.added(session.conf(), session.confDirs());
    Optional<Path> destination =
        path == null ? Optional.empty() : Optional.of(destination(ofBucket));
    Report report = new Report(session.output());
    Doctor doctor = new Doctor(session.conf(), session.confDirs(), System.getenv());
    report.run(doctor.ofCluster(destination.map(ObjectKeys::bucketOf)));
    if (destination.isPresent()) {
      session.output().json().put("path", destination.get().toString());
      try (S3AObjectStores stores =
          new S3AObjectStores(withFewRetries(ofBucket, destination.get()))) {
        report.run(
            new Doctor(ofBucket, session.confDirs(), System.getenv())
                .ofBucket(stores, destination.get(), readOnly));
      }
    }
    return report.end();
  }

  private Path destination(Configuration conf) throws IOException {
    Path destination = S3Paths.read(path, conf);
    if (ObjectKeys.prefixOf(destination).isEmpty()) {
      throw new InputException(
          "ZR-9301: "
              + destination
              + " is the root of a bucket, to which no job is committed; give the directory of a"
              + " table or a job");
    }
    return destination;
  }

  /** For a file system of its own, which does not try for minutes if no server answers. */
  private static Configuration withFewRetries(Configuration conf, Path destination) {
    Configuration copy = new Configuration(conf);
    copy.setBoolean("fs." + destination.toUri().getScheme() + ".impl.disable.cache", true);
    copy.setInt("fs.s3a.attempts.maximum", 2);
    copy.setInt("fs.s3a.retry.limit", 1);
    copy.set(CoreKeys.RETRY_TIME.nameIn(conf, ObjectKeys.bucketOf(destination)), "0");
    return copy;
  }

  /** What is printed of each check. */
  private static final class Report {
    private final Output output;
    private final ArrayNode checks;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);

    private final Map<String, Finding> findings = new LinkedHashMap<>();

    /** Of the checks that are not printed yet, all with the same finding. */
    private final List<String> names = new ArrayList<>();

    private Finding last;

    Report(Output output) {
      this.output = output;
      this.checks = output.json().putArray("checks");
    }

    void run(List<Check> all) {
      for (Check check : all) {
        Finding finding = check.find();
        counts.merge(finding.outcome(), 1, Integer::sum);
        findings.put(check.name(), finding);
        if (!sameAsBefore(finding)) {
          printLines();
        }
        names.add(check.name());
        last = finding;
        ObjectNode node = checks.addObject();
        node.put("name", check.name());
        node.put("outcome", Output.word(finding.outcome()));
        node.put("text", finding.text());
        ArrayNode remedies = node.putArray("remedies");
        for (Remedy remedy : finding.remedies()) {
          ObjectNode fields = remedies.addObject();
          remedy.fields().forEach(fields::put);
        }
      }
      printLines();
    }

    /** Checks that are skipped for the same reason share one line. */
    private boolean sameAsBefore(Finding finding) {
      return finding.outcome() == Outcome.NOT_CHECKED && finding.equals(last);
    }

    private void printLines() {
      if (names.isEmpty()) {
        return;
      }
      String title =
          names.size() == 1 ? names.get(0) : names.get(0) + " .. " + names.get(names.size() - 1);
      String text = last.text().strip().replaceAll("\\s*\\R\\s*", " ");
      output.line(
          ("%-" + OUTCOME_WIDTH + "s  %-29s %s").formatted(last.outcome().word(), title, text));
      for (Remedy remedy : last.remedies()) {
        output.line(" ".repeat(OUTCOME_WIDTH + 2) + "  -> " + remedy.line());
      }
      names.clear();
      last = null;
    }

    ExitCode end() {
      ObjectNode summary = output.json().putObject("summary");
      List<String> line = new ArrayList<>();
      for (Outcome outcome : Outcome.values()) {
        int count = counts.getOrDefault(outcome, 0);
        summary.put(Output.word(outcome), count);
        line.add(count + " " + outcome.word());
      }
      output.line("");
      output.line(String.join(", ", line));
      ObjectNode verdicts = output.json().putObject("verdicts");
      boolean anyReady = false;
      for (Engine engine : Engine.values()) {
        String verdict = engine.verdict(findings);
        anyReady |= verdict.startsWith(Engine.READY);
        output.line(engine.title() + ": " + verdict);
        verdicts.put(Output.word(engine), verdict);
      }
      return counts.containsKey(Outcome.WRONG) || !anyReady ? ExitCode.FOUND : ExitCode.OK;
    }
  }
}
