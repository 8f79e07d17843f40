package io.zerorename.cli.doctor;

import static io.zerorename.core.store.StoreException.Kind.AMBIGUOUS;
import static io.zerorename.core.store.StoreException.Kind.NOT_FOUND;
import static io.zerorename.core.store.StoreException.Kind.NO_SUCH_UPLOAD;
import static io.zerorename.core.store.StoreException.Kind.PRECONDITION_FAILED;
import static io.zerorename.core.store.StoreException.Kind.REJECTED;

import io.zerorename.cli.doctor.TrialBucket.Upload;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * Checks what a store does with two requests of the same moment. One round may not meet its gap, so
 * that each check has several.
 */
record ConcurrentRequests(TrialBucket bucket) {
  private static final int ROUNDS = 5;

  /** Checks that no conditional write replaces an object, also not one of the same moment. */
  Finding conditionalWrites() throws IOException {
    Path commits = bucket.commitDirectory();
    ObjectStore store = bucket.store(commits);
    for (int round = 1; round <= ROUNDS; round++) {
      String key = bucket.key(commits, "condition-" + round);
      bucket.willWrite(key);
      InvocationRaisingIOE put =
          () -> store.putObjectIfAbsent(key, RepeatableBody.of(TrialBucket.CONTENT), Map.of());
      List<StoreException> failures = send(put, put).stream().flatMap(Optional::stream).toList();
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
        return TrialBucket.refusal(put, PRECONDITION_FAILED).isEmpty()
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
    return Finding.ok("of two processes that write one entry at the same moment, one succeeds");
  }

  private static Finding withoutConditions(String problem) {
    return Finding.wrong(
        problem + "; without that no commit log can be kept there, and jobs are refused (ZR-3103)",
        anotherStore());
  }

  private static String anotherStore() {
    return Finding.set(
        CoreKeys.COMMIT_DIR.name(), "<a directory of a store that can>", "core-site.xml");
  }

  /** Spark's checkpoints need it, for files of more than one part; so do jobs of plain names. */
  Finding conditionalCompletes() throws IOException {
    ObjectStore store = bucket.store(bucket.commitDirectory());
    String existing = bucket.key(bucket.commitDirectory(), "condition-complete");
    bucket.willWrite(existing);
    store.putObject(existing, RepeatableBody.of(TrialBucket.CONTENT), Map.of());
    Upload upload = bucket.begin(bucket.commitDirectory(), existing);
    Optional<StoreException> refusal =
        TrialBucket.refusal(
            () -> store.completeUploadIfAbsent(existing, upload.id(), upload.parts()),
            PRECONDITION_FAILED,
            NO_SUCH_UPLOAD,
            REJECTED);
    if (refusal.map(StoreException::kind).filter(PRECONDITION_FAILED::equals).isPresent()) {
      return Finding.ok("a CompleteMultipartUpload with If-None-Match replaces no object");
    }
    return Finding.warning(
        "commits do not need it, but Spark's checkpoints fail at files of more than one part: a"
            + " CompleteMultipartUpload with If-None-Match "
            + refusal
                .map(it -> "is refused: " + it.getMessage())
                .orElse(
                    "replaces an object all the same; use Spark's own manager of checkpoints, and"
                        + " let no other program write into the directory of a MapReduce job that"
                        + " runs: a file of the same name would be replaced"));
  }

  /**
   * Checks that the answer of a Complete is true and stays true if an Abort of the same upload
   * arrives at the same moment: an operator may give up a commit, or abort an upload, that another
   * process completes.
   */
  Finding abortBesideComplete() throws IOException {
    Path commits = bucket.commitDirectory();
    if (!Objects.equals(
        commits.toUri().getAuthority(), bucket.destination().toUri().getAuthority())) {
      return Finding.notChecked(
          "files would be visible in "
              + bucket.destination()
              + ", and the commit directory is in another bucket");
    }
    ObjectStore store = bucket.store(commits);
    Map<String, Optional<Boolean>> there = new LinkedHashMap<>();
    for (int round = 1; round <= ROUNDS; round++) {
      String key = bucket.key(commits, "abort-" + round);
      there.put(key, completeBesideAbort(store, key));
    }
    // After all rounds, because what was true has to stay true.
    for (var entry : there.entrySet()) {
      AtomicReference<byte[]> content = new AtomicReference<>();
      boolean isThere =
          TrialBucket.refusal(() -> content.set(store.getObject(entry.getKey())), NOT_FOUND)
              .isEmpty();
      if (isThere && !Arrays.equals(content.get(), TrialBucket.CONTENT)) {
        return untrue("leaves a file that is not whole", "a commit can leave a damaged file");
      }
      if (!isThere && entry.getValue().orElse(false)) {
        return untrue(
            "is answered with success and the file is lost",
            "a commit can report success without a file");
      }
      if (isThere && !entry.getValue().orElse(true)) {
        return untrue(
            "is refused, and the file appears afterwards",
            "a commit can report a file as lost whose rows become visible, and they are twice there"
                + " if they are loaded again");
      }
    }
    return Finding.ok("what a Complete answers is true, also if an Abort arrives beside it");
  }

  /** Returns whether the file is there after the answer; empty where the answer leaves it open. */
  private Optional<Boolean> completeBesideAbort(ObjectStore store, String key) throws IOException {
    Upload upload = bucket.begin(bucket.commitDirectory(), key);
    bucket.willWrite(key);
    Optional<StoreException> failure =
        send(
                () -> store.completeUpload(key, upload.id(), upload.parts()),
                () -> store.abortUpload(key, upload.id()))
            .get(0);
    if (failure.isEmpty()) {
      bucket.ended(upload.id());
      return Optional.of(true);
    }
    // A commit checks the object too: a Complete that the client has repeated is refused after its
    // success.
    return failure.get().kind() == AMBIGUOUS
        ? Optional.empty()
        : Optional.of(store.headObject(key).isPresent());
  }

  private static Finding untrue(String answer, String consequence) {
    return Finding.wrong(
        ("if an AbortMultipartUpload arrives at the same moment, a CompleteMultipartUpload %s, so"
                + " that %s; run 'zerorename recover --give-up' and 'zerorename uploads --abort --older-than'"
                + " only when no process of the job is alive")
            .formatted(answer, consequence));
  }

  /** Returns the failure of each, or empty where it succeeded. */
  private static List<Optional<StoreException>> send(
      InvocationRaisingIOE first, InvocationRaisingIOE second) throws IOException {
    CyclicBarrier bothReady = new CyclicBarrier(2);
    FutureTask<Optional<StoreException>> other = new FutureTask<>(() -> send(second, bothReady));
    Thread thread = new Thread(other, "zerorename-doctor");
    thread.setDaemon(true);
    thread.start();
    try {
      return List.of(send(first, bothReady), other.get());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } catch (InterruptedException | BrokenBarrierException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped = new InterruptedIOException("interrupted");
      stopped.initCause(e);
      throw stopped;
    }
  }

  private static Optional<StoreException> send(
      InvocationRaisingIOE request, CyclicBarrier bothReady)
      throws IOException, InterruptedException, BrokenBarrierException {
    bothReady.await();
    try {
      request.apply();
      return Optional.empty();
    } catch (StoreException e) {
      return switch (e.kind()) {
        case ACCESS_DENIED, NO_CREDENTIALS -> throw e;
        default -> Optional.of(e);
      };
    }
  }
}
