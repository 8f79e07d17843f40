package io.zerorename.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Checks that the answer of a Complete is true and stays true if an Abort of the same upload
 * arrives at the same moment: an operator may give up a commit, or abort an upload, that another
 * process completes.
 */
record AbortBesideComplete(TrialBucket bucket) implements Check.Test {
  private static final byte[] CONTENT = "zerorename doctor".getBytes(UTF_8);

  @Override
  public Finding run() throws IOException {
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
    for (int round = 1; round <= ConcurrentRequests.ROUNDS; round++) {
      String key = bucket.key(commits, "abort-" + round);
      there.put(key, completeBesideAbort(store, key));
    }
    // After all rounds, because what was true has to stay true.
    for (var entry : there.entrySet()) {
      Optional<byte[]> content = read(store, entry.getKey());
      if (content.isPresent() && !Arrays.equals(content.get(), CONTENT)) {
        return wrong("leaves a file that is not whole", "a commit can leave a damaged file");
      }
      if (content.isEmpty() && entry.getValue().orElse(false)) {
        return wrong(
            "is answered with success and the file is lost",
            "a commit can report success without a file");
      }
      if (content.isPresent() && !entry.getValue().orElse(true)) {
        return wrong(
            "is refused, and the file appears afterwards",
            "a commit can report a file as lost whose rows become visible, and they are twice there"
                + " if they are loaded again");
      }
    }
    return Finding.ok("what a Complete answers is true, also if an Abort arrives beside it");
  }

  /** Returns whether the file is there after the answer; empty where the answer leaves it open. */
  private Optional<Boolean> completeBesideAbort(ObjectStore store, String key) throws IOException {
    String id = store.createUpload(key, Map.of());
    bucket.began(bucket.commitDirectory(), key, id);
    var parts = List.of(store.uploadPart(key, id, 1, RepeatableBody.of(CONTENT)));
    bucket.willWrite(bucket.commitDirectory(), key);
    Optional<StoreException> failure =
        ConcurrentRequests.send(
                () -> store.completeUpload(key, id, parts), () -> store.abortUpload(key, id))
            .get(0);
    if (failure.isEmpty()) {
      bucket.ended(id);
      return Optional.of(true);
    }
    // A commit checks the object too: a Complete that the client has repeated is refused after its
    // success.
    return failure.get().kind() == Kind.AMBIGUOUS
        ? Optional.empty()
        : Optional.of(store.headObject(key).isPresent());
  }

  private static Finding wrong(String answer, String consequence) {
    return Finding.wrong(
        ("if an AbortMultipartUpload arrives at the same moment, a CompleteMultipartUpload %s, so"
                + " that %s; run 'zerorename recover --give-up' and 'zerorename uploads --abort --older-than'"
                + " only when no process of the job is alive")
            .formatted(answer, consequence));
  }

  private static Optional<byte[]> read(ObjectStore store, String key) throws IOException {
    try {
      return Optional.of(store.getObject(key));
    } catch (StoreException e) {
      if (e.kind() != Kind.NOT_FOUND) {
        throw e;
      }
      return Optional.empty();
    }
  }
}
