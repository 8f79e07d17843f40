package io.zerorename.cli;

import io.zerorename.cli.doctor.BucketChecks;
import io.zerorename.cli.doctor.Check;
import io.zerorename.cli.doctor.Cluster;
import io.zerorename.cli.doctor.ClusterChecks;
import io.zerorename.cli.doctor.Finding;
import io.zerorename.cli.doctor.Outcome;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
      "  zerorename doctor --read-only --json s3a://bucket/warehouse",
      "  zerorename doctor --hive-exec /opt/hive/lib/hive-exec-4.1.0.jar"
    })
final class DoctorCommand implements Subcommand {
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

  @Option(
      names = "--hive-exec",
      paramLabel = "<jar>",
      description =
          "The jar hive-exec to check instead of that of HIVE_HOME: whether it has each class and"
              + " member of Hive that the committer uses.")
  private java.nio.file.Path hiveExec;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (hiveExec != null && !Files.isRegularFile(hiveExec)) {
      throw new InputException(
          "ZR-9304: --hive-exec " + hiveExec + " is no file; name Hive's jar hive-exec-*.jar");
    }
    Optional<Path> destination =
        path == null ? Optional.empty() : Optional.of(destination(session.conf()));
    Report report = new Report(session.output());
    report.run(
        // About Hadoop's own files.
        new ClusterChecks(
                new Cluster(
                    session.hadoop(),
                    session.confDirs(),
                    System.getenv(),
                    Optional.ofNullable(hiveExec)),
                destination.map(ObjectKeys::bucketOf))
            .all());
    if (destination.isPresent()) {
      session.output().put("path", destination.get());
      try (S3AObjectStores stores =
          new S3AObjectStores(withFewRetries(session.conf(), destination.get()))) {
        report.run(BucketChecks.of(stores, session.conf(), destination.get(), readOnly).all());
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
  private record Report(Output output, Map<String, Finding> checks) {
    Report(Output output) {
      this(output, new LinkedHashMap<>());
      output.put("checks", checks);
    }

    void run(List<Check> all) {
      List<String> names = new ArrayList<>();
      Finding last = null;
      for (Check check : all) {
        Finding finding = check.find();
        // Checks that are skipped for the same reason share one line.
        if (finding.outcome() != Outcome.NOT_CHECKED || !finding.equals(last)) {
          print(names, last);
          names.clear();
        }
        names.add(check.name());
        last = finding;
        checks.put(check.name(), finding);
      }
      print(names, last);
    }

    private void print(List<String> names, Finding finding) {
      if (names.isEmpty()) {
        return;
      }
      String title =
          names.size() == 1 ? names.get(0) : names.get(0) + " .. " + names.get(names.size() - 1);
      String text = finding.text().strip().replaceAll("\\s*\\R\\s*", " ");
      output.line(
          ("%-" + OUTCOME_WIDTH + "s  %-29s %s").formatted(finding.outcome().word(), title, text));
      for (String remedy : finding.remedies()) {
        output.line(" ".repeat(OUTCOME_WIDTH + 2) + "  -> " + remedy);
      }
    }

    ExitCode end() {
      output.line("");
      output.line(
          Stream.of(Outcome.values())
              .map(outcome -> count(outcome) + " " + outcome.word())
              .collect(Collectors.joining(", ")));
      Map<String, String> verdicts = new LinkedHashMap<>();
      for (Engine engine : Engine.values()) {
        String verdict = engine.verdict(checks);
        output.line(engine.title() + ": " + verdict);
        verdicts.put(Output.word(engine), verdict);
      }
      output.put("verdicts", verdicts);
      boolean anyReady = verdicts.values().stream().anyMatch(it -> it.startsWith(Engine.READY));
      return count(Outcome.WRONG) > 0 || !anyReady ? ExitCode.FOUND : ExitCode.OK;
    }

    private long count(Outcome outcome) {
      return checks.values().stream().filter(it -> it.outcome() == outcome).count();
    }
  }
}
