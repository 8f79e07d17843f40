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
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
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
    boolean isTable =
        Target.isTable(report) && !report.endsWith(".json") && !new File(report).exists();
    JobReportFile read =
        JobReportFile.read(
            isTable ? Target.of(report, session).path().toString() : report, session.conf());
    session.output().json().put("report", read.source().toString()).put("job", read.jobId());
    if (!read.content().success()) {
      throw new InputException(
          "ZR-9112: %s is of a job that was not committed (it is %s), and has no files to verify"
              .formatted(
                  read.source(), Objects.requireNonNullElse(read.content().state(), "failed")));
    }
    List<WrittenObject> named = read.objects(session.conf());
    if (named.isEmpty() && !read.content().filenames().isEmpty()) {
      throw new InputException(
          "ZR-9113: "
              + read.source()
              + " names files without their bucket; verify the _SUCCESS in the job's destination");
    }
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      List<WrittenObject> objects = withLog(read, named, stores, session);
      Map<String, String> differences = verify(objects, stores, session);
      session.progress().clear();
      return print(read, objects.size(), differences, session.output());
    }
  }

  /** A reader of the output need not be able to read the log. */
  private static List<WrittenObject> withLog(
      JobReportFile read, List<WrittenObject> named, S3AObjectStores stores, Session session)
      throws IOException {
    try {
      Optional<ReportInLog> inLog = ReportInLog.of(read, stores, session.conf());
      if (inLog.isPresent()) {
        inLog.get().later().ifPresent(job -> print(job, read, session.output()));
      }
      return named.isEmpty() && inLog.isPresent() ? inLog.get().files() : named;
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
      return named;
    }
  }

  /** Dynamic overwrites leave no report, and an open commit has none yet. */
  private static void print(LoggedJob later, JobReportFile read, Output output) {
    output.json().put("later", later.id());
    output.line(
        "The report is of job %s. A later job has none: %s%s, %s."
            .formatted(
                read.jobId(),
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
          Path path = new Path(object.path());
          difference(object, stores.forPath(path).headObject(ObjectKeys.of(path)))
              .ifPresent(text -> differences.put(object.path(), text));
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
    if (object.size() != null && object.size() != head.size()) {
      texts.add(
          "has %s bytes and not %s"
              .formatted(Units.count(head.size()), Units.count(object.size())));
    }
    String identity = head.metadata().get(OutputFile.IDENTITY_METADATA);
    if (object.identity() != null && !object.identity().equals(identity)) {
      texts.add(
          "is another object, written by "
              + (identity == null ? "another program" : "another job"));
    }
    return texts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", texts));
  }

  private ExitCode print(
      JobReportFile read, int checked, Map<String, String> differences, Output output) {
    Long files = read.content().metrics().get("files");
    output.json().put("files", files).put("verified", checked);
    ArrayNode entries = output.json().putArray("differences");
    differences.forEach(
        (path, text) -> {
          entries.addObject().put("path", path).put("difference", text);
          output.line(path + " " + text);
        });
    boolean nothing = checked == 0 && (files == null || files > 0);
    boolean allNamedHere = files != null && checked >= files;
    List<String> results = new ArrayList<>();
    results.add(
        nothing ? "Nothing was verified: the report names no file." : same(checked, differences));
    if (files == null) {
      results.add("The report does not say how many files its job wrote.");
    } else if (checked == 0 && read.content().diagnostics().containsKey("recovered")) {
      results.add(
          ("Its commit was interrupted and completed by another process, whose report says only"
                  + " that there are %s, and the commit log has them no more. zerorename"
                  + " status <destination> shows whether some are lost.")
              .formatted(Units.count(files, "file")));
    } else if (!allNamedHere) {
      results.add(
          ("The report names %s of %s, and the others were not checked;"
                  + " zerorename.success.file.limit sets how many it names.")
              .formatted(Units.count(checked), Units.count(files, "file")));
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
