package io.zerorename.cli;

import io.zerorename.cli.SuccessFile.WrittenObject;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code zerorename verify}: compares objects with the _SUCCESS of the job that wrote them. */
@Command(
    name = "verify",
    description = {
      "Checks that the objects that a job's _SUCCESS names exist, with the size and the identity"
          + " (metadata that no other object has) that it says. One request per object. It changes"
          + " nothing.",
      "",
      "A _SUCCESS names the first zerorename.success.file.limit files; where it names none, the files"
          + " in the job's commit log are checked."
    },
    footer = {"  zerorename verify s3a://bucket/output", "  zerorename verify --json db.table"})
final class VerifyCommand implements Subcommand {
  /** How an object is not as it was written. */
  private record Difference(String path, String difference) {}

  @Parameters(
      paramLabel = Target.LABEL,
      description = "The destination, or the table's location, with a _SUCCESS; or db.table.")
  private String path;

  @Override
  public ExitCode run(Session session) throws IOException {
    Path named = Target.of(path, session).path();
    Path destination = named.getName().equals(SuccessFile.NAME) ? named.getParent() : named;
    session.output().put("path", destination);
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      SuccessFile success = SuccessFile.read(destination, stores);
      session.output().put("job", success.zerorenameJobId());
      List<WrittenObject> objects = success.objects();
      if (objects.isEmpty()) {
        CommitLog log = new CommitLogs(stores, session.conf()).of(destination);
        objects = inLog(log, success.zerorenameJobId());
      }
      List<Difference> differences = verify(objects, stores, session);
      return print(success, objects.size(), differences, session.output());
    }
  }

  /** All files of a job; empty where its log has them no more. */
  static List<WrittenObject> inLog(CommitLog log, String jobId) throws IOException {
    LogTail tail = log.tailDownTo(1);
    Optional<LogEntry> entry = log.find(jobId, tail);
    List<WrittenObject> written = new ArrayList<>();
    if (entry.isPresent()) {
      try {
        RemoteIterators.foreach(
            log.plan(entry.get()).uploads(),
            file ->
                written.add(
                    new WrittenObject(
                        file.destination().toString(), file.length(), file.identity())));
      } catch (MalformedDocumentException e) {
        if (!mayBeCut(entry.get().number(), tail)) {
          throw e;
        }
        // While an older entry keeps this one in the log, its plan is deleted as old.
        return List.of();
      }
    }
    return written;
  }

  private static boolean mayBeCut(long number, LogTail tail) {
    return tail.isEnded(number)
        && tail.written(number)
            .isBefore(tail.listed().minus(Duration.ofDays(CoreKeys.FEWEST_LOG_DAYS)));
  }

  private static List<Difference> verify(
      List<WrittenObject> objects, ObjectStores stores, Session session) throws IOException {
    Queue<Difference> differences = new ConcurrentLinkedQueue<>();
    AtomicLong done = new AtomicLong();
    Workers workers = CommitSettings.from(session.conf()).workers();
    workers.forEach(
        objects,
        object -> {
          Path path = new Path(object.path());
          difference(object, stores.forPath(path).headObject(ObjectKeys.of(path)))
              .ifPresent(text -> differences.add(new Difference(object.path(), text)));
          session.output().progress("Verified", done.incrementAndGet(), objects.size());
        });
    return differences.stream().sorted(Comparator.comparing(Difference::path)).toList();
  }

  private static Optional<String> difference(WrittenObject object, Optional<ObjectHead> there) {
    if (there.isEmpty()) {
      return Optional.of("is not there");
    }
    ObjectHead head = there.get();
    List<String> texts = new ArrayList<>();
    if (object.size() != head.size()) {
      texts.add(
          "has %s bytes and not %s"
              .formatted(Units.count(head.size()), Units.count(object.size())));
    }
    String identity = head.metadata().get(OutputFile.IDENTITY_METADATA);
    if (!Objects.equals(object.identity(), identity)) {
      texts.add(
          "is another object, written by "
              + (identity == null ? "another program" : "another job"));
    }
    return texts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", texts));
  }

  private static ExitCode print(
      SuccessFile success, int checked, List<Difference> differences, Output output) {
    long files = success.metrics().getOrDefault("files", 0L);
    output.put("files", files);
    output.put("verified", checked);
    output.put("differences", differences);
    differences.forEach(it -> output.line(it.path() + " " + it.difference()));
    boolean nothing = checked == 0 && files > 0;
    String result =
        nothing
            ? "Nothing was verified: the _SUCCESS names none of %s, and the commit log has them no more."
                .formatted(Units.count(files, "file"))
            : same(checked, differences);
    if (!nothing && checked < files) {
      result +=
          (" The _SUCCESS names %s of %s, and the others were not checked;"
                  + " zerorename.success.file.limit sets how many it names.")
              .formatted(Units.count(checked), Units.count(files, "file"));
    }
    output.put("result", result);
    output.line(result);
    return differences.isEmpty() && !nothing ? ExitCode.OK : ExitCode.FOUND;
  }

  private static String same(int checked, List<Difference> differences) {
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
