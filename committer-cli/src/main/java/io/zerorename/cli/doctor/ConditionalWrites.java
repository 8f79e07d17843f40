package io.zerorename.cli.doctor;

import static io.zerorename.core.store.StoreException.Kind.AMBIGUOUS;
import static io.zerorename.core.store.StoreException.Kind.NO_SUCH_UPLOAD;
import static io.zerorename.core.store.StoreException.Kind.PRECONDITION_FAILED;
import static io.zerorename.core.store.StoreException.Kind.REJECTED;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.Failures.Step;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Checks that no conditional write replaces an object, also not one of the same moment. */
record ConditionalWrites(TrialBucket bucket) implements Check.Test {
  private static final RepeatableBody EMPTY = RepeatableBody.of(new byte[0]);

  @Override
  public Finding run() throws IOException {
    Path commits = bucket.commitDirectory();
    ObjectStore store = bucket.store(commits);
    for (int round = 1; round <= ConcurrentRequests.ROUNDS; round++) {
      String key = bucket.key(commits, "condition-" + round);
      bucket.willWrite(commits, key);
      Step put = () -> store.putObjectIfAbsent(key, EMPTY, Map.of());
      List<StoreException> failures =
          ConcurrentRequests.send(put, put).stream().flatMap(Optional::stream).toList();
      for (StoreException failure : failures) {
        if (failure.kind() == REJECTED) {
          return withoutConditions("refused: " + failure.getMessage());
        }
        // S3 may answer 409 to one of two writers, which leaves open what it did.
        if (!Set.of(PRECONDITION_FAILED, AMBIGUOUS).contains(failure.kind())) {
          throw failure;
        }
      }
      if (failures.isEmpty()) {
        return isRefused(put, PRECONDITION_FAILED).isEmpty()
            ? withoutConditions(
                "the store overwrites objects in spite of If-None-Match, so that two processes"
                    + " could write one entry of the commit log")
            : Finding.wrong(
                "of two writes of one object with If-None-Match at the same moment both succeed,"
                    + " so that two jobs can write one entry of the commit log; the one that is"
                    + " overwritten is not resumed after a crash, and no overwrite follows it",
                anotherStore());
      }
    }
    return completes(store, bucket.key(commits, "condition-1"));
  }

  private static Finding withoutConditions(String problem) {
    return Finding.wrong(
        problem + "; without that no commit log can be kept there, and jobs are refused (ZR-3103)",
        anotherStore());
  }

  private static Remedy anotherStore() {
    return Remedy.set(
        CoreKeys.COMMIT_DIR.name(), "<a directory of a store that can>", "core-site.xml");
  }

  /** Spark's checkpoints need it, for files that are not written by one PUT. */
  private Finding completes(ObjectStore store, String existing) throws IOException {
    String id = store.createUpload(existing, Map.of());
    bucket.began(bucket.commitDirectory(), existing, id);
    var parts = List.of(store.uploadPart(existing, id, 1, EMPTY));
    Optional<StoreException> refusal =
        isRefused(
            () -> store.completeUploadIfAbsent(existing, id, parts),
            PRECONDITION_FAILED,
            NO_SUCH_UPLOAD,
            REJECTED);
    if (refusal.map(StoreException::kind).filter(PRECONDITION_FAILED::equals).isPresent()) {
      return Finding.ok("of two processes that write one entry at the same moment, one succeeds");
    }
    return Finding.warning(
        "commits are decided safely, but Spark's checkpoints fail at files of more than one part: a"
            + " CompleteMultipartUpload with If-None-Match "
            + refusal
                .map(it -> "is refused: " + it.getMessage())
                .orElse("replaces an object all the same; use Spark's own manager of checkpoints"));
  }

  private static Optional<StoreException> isRefused(Step request, Kind... kinds)
      throws IOException {
    try {
      request.run();
      return Optional.empty();
    } catch (StoreException e) {
      if (!Set.of(kinds).contains(e.kind())) {
        throw e;
      }
      return Optional.of(e);
    }
  }
}
