package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells lost files from those that the store is still joining. It may work on a Complete for
 * minutes, in which there is neither the upload any more nor its object yet. Whoever does not know
 * what was sent notes what is missing; only what somebody finds missing again, long enough after
 * that, is lost.
 */
final class MissingFiles {
  private static final Logger LOG = LoggerFactory.getLogger(MissingFiles.class);

  private final CommitLog log;
  private final Duration settling;

  /**
   * @param settling how long the store may be at work on a Complete
   */
  MissingFiles(CommitLog log, Duration settling) {
    this.log = requireNonNull(log, "log");
    this.settling = requireNonNull(settling, "settling");
  }

  /**
   * What was missing.
   *
   * @param since when that was seen first, by the log's clock
   */
  record Note(Instant since, List<Path> missing) {
    private static final VersionedJson JSON =
        new VersionedJson("note of missing files", 1, "It was damaged after it was written.");

    Note {
      requireNonNull(since, "since");
      missing = List.copyOf(missing);
    }

    byte[] toJson() throws IOException {
      return JSON.write(
          json -> {
            json.writeNumberField("since", since.toEpochMilli());
            PathsJson.write(json, "missing", missing);
          });
    }

    static Note read(byte[] document, String where) throws IOException {
      return JSON.read(
          document,
          where,
          root ->
              new Note(
                  Instant.ofEpochMilli(JsonFields.number(root, "since")),
                  PathsJson.read(root, "missing")));
    }
  }

  /**
   * Makes sure that files are lost.
   *
   * @param found what has neither an upload nor an object; may be empty
   * @param before how long ago the first of them was looked for
   * @throws IOException where one of them may yet appear
   */
  void requireLost(OutputJob job, CompleteUploads.Missing found, Duration before)
      throws IOException {
    List<Path> missing = found.paths();
    if (missing.isEmpty() || isKnown(job.id(), missing)) {
      return;
    }
    Instant now = log.now();
    Optional<Note> earlier = noted(job.id(), found);
    if (earlier.isEmpty()) {
      log.noteMissing(job.id(), new Note(now, missing));
    }
    Instant lostFrom = earlier.map(Note::since).orElse(now).plus(settling);
    // Somebody else may have noted them while this process was looking.
    Instant looked = earlier.isPresent() ? now.minus(before) : now;
    if (looked.isBefore(lostFrom)) {
      throw new IOException(
          missing.size()
              + " of its uploads are gone, and their objects are not there, the first is "
              + missing.get(0)
              + ". The store may still be joining their parts for a process that was cut off. If"
              + " they are missing from "
              + lostFrom
              + " on, they are lost, which "
              + RecoverCommand.of(job)
              + " then tells. With --give-up --job "
              + job.id()
              + " it ends the commit before; a file may still appear afterwards, so do not overwrite"
              + " earlier.");
    }
  }

  /** Whether they were found to be lost before, by whoever knew what was sent. */
  private boolean isKnown(String jobId, List<Path> missing) throws IOException {
    Optional<Damage> damage = log.damage(jobId);
    return damage.isPresent() && new HashSet<>(damage.get().lost()).containsAll(missing);
  }

  /** An earlier note of the same files, and perhaps of others. */
  private Optional<Note> noted(String jobId, CompleteUploads.Missing found) throws IOException {
    if (found.mayAppear()) {
      return Optional.empty();
    }
    try {
      // An upload that was still there then may have been completed since.
      return log.missing(jobId)
          .filter(note -> new HashSet<>(note.missing()).containsAll(found.paths()));
    } catch (MalformedManifestException e) {
      // It is written anew, and what it is about waits for longer.
      LOG.debug("The note of missing files of job {} cannot be read", jobId, e);
      return Optional.empty();
    }
  }
}
