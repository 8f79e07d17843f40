package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.PutDeadlines;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** Whether a path's bucket can be reached, and can do what commits rely on. */
final class BucketChecks {
  /** Shorter rules can remove the uploads of a job that runs over a weekend. */
  private static final Duration SHORT = Duration.ofDays(3);

  private final TrialBucket bucket;
  private final Path commits;

  BucketChecks(TrialBucket bucket) {
    this.bucket = requireNonNull(bucket, "bucket");
    this.commits = bucket.commitDirectory();
  }

  /** To be run in this order. */
  List<Check> all() {
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("bucket", this::reach));
    checks.addAll(new Permissions(bucket).all());
    checks.add(new Check("conditional-writes", () -> writing(this::conditionalWrites)));
    checks.add(new Check("put-deadlines", () -> writing(this::deadlines)));
    checks.add(new Check("lifecycle-rule", () -> reached(this::lifecycle)));
    checks.add(new Check("clean-up", bucket::cleanUp));
    return checks;
  }

  private Finding reach() throws IOException {
    Path place = bucket.destination();
    String content = "";
    try {
      boolean any = bucket.store(place).listObjects(ObjectKeys.prefixOf(place)).hasNext();
      content = any ? "" : " (nothing is at " + place + " yet)";
    } catch (StoreException e) {
      // Another check tells of a permission that is missing. Credentials that are wrong or absent
      // have other codes.
      if (e.kind() != Kind.ACCESS_DENIED || !e.getMessage().contains("AccessDenied")) {
        bucket.giveUp("the bucket cannot be reached");
        return Finding.wrong(e.getMessage());
      }
    }
    return Finding.ok(
        place.toUri().getAuthority()
            + " answers"
            + content
            + "; commits are decided in "
            + commits);
  }

  private Finding reached(Check.Look look) throws IOException {
    return bucket.unreachable().isPresent()
        ? Finding.notChecked(bucket.unreachable().get())
        : look.find();
  }

  private Finding writing(Check.Look look) throws IOException {
    return reached(
        () ->
            bucket.reasonAgainstWriting().isPresent()
                ? Finding.notChecked(bucket.reasonAgainstWriting().get())
                : look.find());
  }

  private Finding conditionalWrites() throws IOException {
    ObjectStore store = bucket.store(commits);
    String key = bucket.key(commits, "condition");
    bucket.willWrite(commits, key);
    String advice = "the commit log is then kept in the cluster's file system, and lost with it";
    Remedy remedy =
        new Remedy.SetProperty(
            CoreKeys.COMMIT_DIR.name(), "<a directory of a store that can>", "core-site.xml");
    try {
      for (int i = 0; i < 2; i++) {
        store.putObjectIfAbsent(key, PartBody.of(new byte[0]), Map.of());
      }
    } catch (StoreException e) {
      return switch (e.kind()) {
        case PRECONDITION_FAILED ->
            Finding.ok("of two processes that write one entry, the first wins");
        case REJECTED -> Finding.wrong("refused: " + e.getMessage() + "; " + advice, remedy);
        default -> throw e;
      };
    }
    return Finding.wrong(
        "the store overwrites objects in spite of If-None-Match, so that two processes could write"
            + " one entry of the commit log; "
            + advice,
        remedy);
  }

  private Finding deadlines() throws IOException {
    PutDeadlines trial = new PutDeadlines(bucket.store(commits), bucket.key(commits, "deadline"));
    bucket.willWrite(commits, trial.early());
    bucket.willWrite(commits, trial.late());
    return trial
        .reasonAgainst()
        .map(
            reason ->
                Finding.warning(
                    "small files take 3 requests and not 1, because of the store: " + reason))
        .orElseGet(() -> Finding.ok("a PUT that comes too late is refused"));
  }

  private Finding lifecycle() throws IOException {
    Path place = bucket.destination();
    Optional<Duration> expiry = bucket.store(place).uploadsExpireAfter(ObjectKeys.prefixOf(place));
    String remedy = "; give the bucket one of 7 days (AbortIncompleteMultipartUpload)";
    if (expiry.isEmpty()) {
      return Finding.warning(
          "no lifecycle rule removes incomplete uploads, and those of killed processes cost storage"
              + " for ever"
              + remedy);
    }
    long days = expiry.get().toDays();
    return expiry.get().compareTo(SHORT) < 0
        ? Finding.wrong(
            "a lifecycle rule removes incomplete uploads after "
                + days
                + " days, and with them files of jobs that run longer"
                + remedy)
        : Finding.ok("incomplete uploads are removed after " + days + " days");
  }
}
