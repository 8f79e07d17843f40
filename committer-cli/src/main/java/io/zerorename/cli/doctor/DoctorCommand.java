package io.zerorename.cli.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
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
      "Checks whether this cluster is set up for the committer: versions, hooks, settings, and, for"
          + " a path, each permission and ability of its bucket. Prints what is wrong, and the exact"
          + " property to set or action to grant.",
      "",
      "With a path it writes objects below the commit directory and removes them again.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  zerorename doctor",
      "  zerorename doctor --conf-dir /etc/hive/conf s3a://bucket/warehouse/db.db/table",
      "  zerorename doctor --read-only --json s3a://bucket/warehouse"
    })
public final class DoctorCommand implements Subcommand {
  private static final int OUTCOME_WIDTH = 11;

  @Parameters(
      arity = "0..1",
      paramLabel = "<path>",
      description =
          "A table's location or a job's destination, whose bucket is to be checked. Without it only"
              + " what needs no bucket is.")
  private String path;

  @Option(
      names = "--read-only",
      description = "Writes nothing: permissions to write are not checked.")
  private boolean readOnly;

  /** For the command line. */
  public DoctorCommand() {}

  @Override
  public ExitCode run(Session session) throws IOException {
    Optional<Path> place =
        path == null ? Optional.empty() : Optional.of(destination(session.conf()));
    Report report = new Report(session.output());
    Doctor doctor = new Doctor(session.conf(), session.confDirs(), System.getenv());
    report.run(doctor.ofCluster(place.map(it -> it.toUri().getAuthority())));
    if (place.isPresent()) {
      session.output().json().put("path", place.get().toString());
      try (S3AObjectStores stores =
          new S3AObjectStores(impatient(session.conf(), place.get().toUri().getScheme()))) {
        report.run(doctor.ofBucket(stores, place.get(), readOnly));
      }
    }
    return report.end();
  }

  private Path destination(Configuration conf) throws IOException {
    Path place = S3Paths.read(path, conf);
    if (ObjectKeys.prefixOf(place).isEmpty()) {
      throw new InputException(
          place
              + " is the root of a bucket, to which no job is committed; give a directory in it, of a"
              + " table or a job");
    }
    return place;
  }

  /** A file system of its own, which does not try for minutes where nobody answers. */
  private static Configuration impatient(Configuration conf, String scheme) {
    Configuration copy = new Configuration(conf);
    copy.setBoolean("fs." + scheme + ".impl.disable.cache", true);
    copy.setInt("fs.s3a.attempts.maximum", 2);
    copy.setInt("fs.s3a.retry.limit", 1);
    return copy;
  }

  /** What is printed of each check. */
  private static final class Report {
    private final Output output;
    private final ArrayNode checks;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);

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
        finding.remedies().forEach(remedy -> remedy.describe(remedies.addObject()));
      }
      printLines();
    }

    /** What is not there is told once, and not for each check that needs it. */
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
          String.format("%-" + OUTCOME_WIDTH + "s  %-29s %s", last.outcome().word(), title, text));
      for (Remedy remedy : last.remedies()) {
        output.line(" ".repeat(OUTCOME_WIDTH + 2) + "  -> " + remedy.line());
      }
      names.clear();
      last = null;
    }

    ExitCode end() {
      ObjectNode summary = output.json().putObject("summary");
      StringBuilder line = new StringBuilder();
      for (Outcome outcome : Outcome.values()) {
        int count = counts.getOrDefault(outcome, 0);
        summary.put(Output.word(outcome), count);
        line.append(line.length() == 0 ? "" : ", ")
            .append(count)
            .append(' ')
            .append(outcome.word());
      }
      output.line("");
      output.line(line.toString());
      return counts.containsKey(Outcome.WRONG) ? ExitCode.FOUND : ExitCode.OK;
    }
  }
}
