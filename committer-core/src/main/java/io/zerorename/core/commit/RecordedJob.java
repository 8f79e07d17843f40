package io.zerorename.core.commit;

import io.zerorename.core.commit.FoundUpload.Standing;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What the records say of a job that may own pending uploads. */
final class RecordedJob {
  private final String id;
  private final CommitLog log;
  private Optional<JobDirectory> directory = Optional.empty();
  private Standing standing = Standing.UNDECIDED;
  private Set<String> committed = Set.of();
  private Instant active = Instant.EPOCH;

  RecordedJob(String id, CommitLog log) {
    this.id = id;
    this.log = log;
  }

  void isAt(JobDirectory records) {
    directory = Optional.of(records);
  }

  void cannotBeRead() {
    standing = Standing.UNREADABLE;
  }

  String id() {
    return id;
  }

  CommitLog log() {
    return log;
  }

  /** Of its records on the cluster file system, where it has any. */
  Optional<JobDirectory> directory() {
    return directory;
  }

  /** When it last gave a sign of life. */
  Instant active() {
    return active;
  }

  /** What may be done with an upload of it. */
  Standing of(String uploadId) {
    return standing == Standing.COMMITTED && !committed.contains(uploadId)
        ? Standing.LEFT_OVER
        : standing;
  }

  void sign(Instant time) {
    active = active.isAfter(time) ? active : time;
  }

  /** Looks how it stands; up to three requests. */
  void settle() throws IOException {
    try {
      Optional<Decision> decision = log.read(id);
      if (decision.isEmpty()) {
        return;
      }
      Optional<CommitPlan> plan =
          decision.get().commits() && log.finished(id).isEmpty()
              ? log.unfinished(id, decision.get().proposal().orElseThrow())
              : Optional.empty();
      standing = plan.isPresent() ? Standing.COMMITTED : Standing.LEFT_OVER;
      if (plan.isPresent()) {
        Set<String> named = new HashSet<>();
        plan.get().uploads().forEach(upload -> named.add(upload.uploadId()));
        committed = named;
      }
    } catch (MalformedManifestException e) {
      standing = Standing.UNREADABLE;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
