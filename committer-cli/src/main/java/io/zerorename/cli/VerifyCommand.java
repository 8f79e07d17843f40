package io.zerorename.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.zerorename.cli.JobReportFile.WrittenObject;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.cli.command.Units;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.OutputFile;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename verify}: compares objects with the report of the job that wrote them. */
@Command(
    name = "verify",
    description = {
      "Checks that the objects of a job's report exist, with the size, the identity (metadata that no"
          + " other object has) and the ETag of the report. One request per object, and those to look"
          + " into the commit log for later jobs. It changes nothing.",
      "",
      "A report names the first zerorename.success.file.limit files; where it names none, the files"
          + " in the job's commit log are checked. Of S3A's reports, which have names only, it checks"
          + " the existence."
    },
    footer = {
      "  zerorename verify s3a://bucket/output",
      "  zerorename verify --json hdfs:///reports/5b1f0c7e.json"
    })
final class VerifyCommand implements Subcommand {
  @Parameters(
      paramLabel = "<report>",
      description =
          "A directory with a _SUCCESS, that file, or a report, on any file system; or db.table.")
  private String report;

  @Option(
      names = "--all-named",
      description =
          "Also fails if the report does not name every file of its job, or does not say how many"
              + " there are.")
  private boolean allNamed;

  @Override
  public ExitCode run(Session session) throws IOException {
    JobReportFile record =
        new JobReportReader(session.conf())
            .read(
                Target.isTable(report) && !report.endsWith(".json") && !new File(report).exists()
                    ? Target.of(report, session).path().toString()
                    : report);
    Output output = session.output();
    output.json().put("report", record.source().toString()).put("job", record.jobId());
    if (!record.success()) {
      throw new InputException(
          "ZR-9112: %s is of a job that was not committed (it is %s), and has no files to verify"
              .formatted(record.source(), record.state()));
    }
    if (record.objects().isEmpty() && record.named() > 0) {
      throw new InputException(
          "ZR-9113: "
              + record.source()
              + " names files without their bucket; verify the _SUCCESS in the job's destination");
    }
    List<WrittenObject> objects;
    Map<String, String> differences;
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      objects = withLog(record, stores, session);
      differences = verify(objects, stores, session);
    }
    session.progress().clear();
    return print(record, objects.size(), differences, output);
  }

  /** A reader of the output need not be able to read the log. */
  private static List<WrittenObject> withLog(
      JobReportFile record, S3AObjectStores stores, Session session) throws IOException {
    try {
      Optional<ReportInLog> inLog = ReportInLog.of(record, stores, session);
      if (inLog.isPresent()) {
        inLog.get().later().ifPresent(job -> print(job, record, session.output()));
      }
      return record.objects().isEmpty() && inLog.isPresent()
          ? inLog.get().files()
          : record.objects();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
        throw e;
      }
      session
          .output()
          .warn(
              "ZR-9123: The commit log cannot be read, so it is not known whether a later job wrote"
                  + " there: "
                  + e.getMessage());
      return record.objects();
    }
  }

  /** Dynamic overwrites leave no report, and an open commit has none yet. */
  private static void print(LoggedJob later, JobReportFile record, Output output) {
    output.json().put("later", later.id());
    output.line(
        "The report is of job %s. A later job has none: %s%s, %s."
            .formatted(
                record.jobId(),
                later.number().isPresent() ? "entry " + later.number().getAsLong() + ", " : "",
                later.description().orElse("job " + later.id()),
                later.state().text()));
  }

  private static Map<String, String> verify(
      List<WrittenObject> objects, ObjectStores stores, Session session) throws IOException {
    Map<String, String> differences = new ConcurrentHashMap<>();
    AtomicLong done = new AtomicLong();
    Workers workers = CommitSettings.from(session.conf()).workers();
    workers.forEach(
        objects,
        object -> {
          Optional<ObjectHead> there =
              stores.forPath(object.path()).headObject(ObjectKeys.of(object.path()));
          difference(object, there)
              .ifPresent(text -> differences.put(object.path().toString(), text));
          session.progress().step("Verified", done.incrementAndGet(), objects.size());
        });
    return new TreeMap<>(differences);
  }

  private static Optional<String> difference(WrittenObject object, Optional<ObjectHead> there) {
    if (there.isEmpty()) {
      return Optional.of("is not there");
    }
    ObjectHead head = there.get();
    List<String> texts = new ArrayList<>();
    if (object.size().isPresent() && object.size().getAsLong() != head.size()) {
      texts.add(
          "has %s bytes and not %s"
              .formatted(Units.count(head.size()), Units.count(object.size().getAsLong())));
    }
    String identity = head.metadata().get(OutputFile.IDENTITY_METADATA);
    if (object.identity().isPresent() && !object.identity().get().equals(identity)) {
      texts.add(
          "is another object, written by "
              + (identity == null ? "another program" : "another job"));
    }
    if (object.etag().isPresent() && !unquoted(object.etag().get()).equals(unquoted(head.etag()))) {
      texts.add("has the ETag " + head.etag() + " and not " + object.etag().get());
    }
    return texts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", texts));
  }

  private static String unquoted(String etag) {
    return etag.replace("\"", "");
  }

  private ExitCode print(
      JobReportFile record, int checked, Map<String, String> differences, Output output) {
    OptionalLong files = record.files();
    output.json().put("files", files.isPresent() ? files.getAsLong() : null);
    output.json().put("verified", checked);
    ArrayNode entries = output.json().putArray("differences");
    differences.forEach(
        (path, text) -> {
          entries.addObject().put("path", path).put("difference", text);
          output.line(path + " " + text);
        });
    boolean nothing = checked == 0 && files.orElse(1) > 0;
    List<String> results = new ArrayList<>();
    results.add(
        nothing ? "Nothing was verified: the report names no file." : same(checked, differences));
    boolean allNamedHere = files.isPresent() && checked >= files.getAsLong();
    if (files.isEmpty()) {
      results.add("The report does not say how many files its job wrote.");
    } else if (record.recovered() && checked == 0) {
      results.add(
          ("Its commit was interrupted and completed by another process, whose report says only"
                  + " that there are %s, and the commit log has them no more. zerorename"
                  + " status <destination> shows whether some are lost.")
              .formatted(Units.count(files.getAsLong(), "file")));
    } else if (!allNamedHere) {
      results.add(
          ("The report names %s of %s, and the others were not checked;"
                  + " zerorename.success.file.limit sets how many it names.")
              .formatted(Units.count(checked), Units.count(files.getAsLong(), "file")));
    }
    results.forEach(output::line);
    boolean good = differences.isEmpty() && !nothing && (allNamedHere || !allNamed);
    if (!good) {
      output.json().put("reason", String.join(" ", results));
    }
    return good ? ExitCode.OK : ExitCode.FOUND;
  }

  private static String same(int checked, Map<String, String> differences) {
    return differences.isEmpty()
        ? Units.count(checked, "object")
            + (checked == 1 ? " is as it was written." : " are as they were written.")
        : ("%s of %s not as written. A later job may have replaced them: zerorename"
                + " status --ended 50 <destination> shows which wrote there.")
            .formatted(
                Units.count(differences.size()),
                Units.count(checked, "object") + (differences.size() == 1 ? " is" : " are"));
  }
}
