package io.zerorename.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Checks that the answer of a Complete is true and stays true if an Abort of the same upload
 * arrives at the same moment: an operator may give up a commit, or abort an upload, that another
 * process completes.
 */
final class AbortBesideComplete implements Check.Test {
  private static final byte[] CONTENT = "zerorename doctor".getBytes(UTF_8);

  private final TrialBucket bucket;
  private final Path commits;

  AbortBesideComplete(TrialBucket bucket) {
    this.bucket = bucket;
    this.commits = bucket.commitDirectory();
  }

  @Override
  public Finding run() throws IOException {
    ObjectStore store = bucket.store(commits);
    Map<String, Optional<StoreException>> failures = new LinkedHashMap<>();
    for (int round = 1; round <= ConcurrentRequests.ROUNDS; round++) {
      String key = bucket.key(commits, "abort-" + round);
      String id = store.createUpload(key, Map.of());
      bucket.began(commits, key, id);
      var parts = List.of(store.uploadPart(key, id, 1, PartBody.of(CONTENT)));
      bucket.willWrite(commits, key);
      failures.put(
          key,
          ConcurrentRequests.send(
                  () -> store.completeUpload(key, id, parts), () -> store.abortUpload(key, id))
              .get(0));
    }
    // After all rounds, because an answer has to stay true.
    for (var entry : failures.entrySet()) {
      Optional<byte[]> content = read(store, entry.getKey());
      boolean whole = content.filter(it -> Arrays.equals(it, CONTENT)).isPresent();
      Optional<Kind> failure = entry.getValue().map(StoreException::kind);
      if (content.isPresent() ? !whole : failure.isEmpty()) {
        return wrong(
            "is answered with success and the file is lost, or not whole",
            "a commit can report success without a file");
      }
      if (whole && failure.isPresent() && failure.get() != Kind.AMBIGUOUS) {
        return wrong(
            "is refused (" + failure.get() + ") and the file is there all the same",
            "a commit can report a file as lost whose rows are visible, and they are twice there if"
                + " they are loaded again");
      }
    }
    return Finding.ok("what a Complete answers is true, also if an Abort arrives beside it");
  }

  private static Finding wrong(String answer, String consequence) {
    return Finding.wrong(
        ("if an AbortMultipartUpload arrives at the same moment, a CompleteMultipartUpload %s, so"
                + " that %s; run 'zerorename recover --give-up' and 'zerorename uploads abort --now'"
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
