package io.zerorename.core.commit;

import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time that S3 may take to complete an upload. In it there is neither the upload any more nor
 * its object yet; only what is absent at its end is lost.
 *
 * <p>The pauses are added up: a clock may be set meanwhile.
 *
 * @param length how long the store may work on a Complete
 * @param sleep between two tries
 */
record CompletionWait(Duration length, Pauses.Sleep sleep) {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionWait.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** The longest wait for answers, as a multiple of the length. */
  private static final int ROUNDS = 3;

  /** Of more files so many stand for all while there is time. */
  private static final int MOST_ASKED = 200;

  /** Finds out what still has to be waited for. */
  @FunctionalInterface
  interface Needed {
    List<PendingUpload> of(List<PendingUpload> absent) throws IOException;
  }

  /**
   * Waits for absent files, and completes those whose upload is pending again, because the store
   * could not complete it.
   *
   * @return those that are lost
   */
  List<PendingUpload> await(
      Collection<PendingUpload> absent, UploadCompletion completion, Needed needed, Workers workers)
      throws IOException {
    List<PendingUpload> rest = List.copyOf(absent);
    if (rest.isEmpty()) {
      return rest;
    }
    LOG.info(
        "{} uploads are gone and their objects are not there, the first is {}. The store may still"
            + " be completing them, which is waited for, for {} seconds",
        rest.size(),
        rest.get(0).destination(),
        length.toSeconds());
    Duration waited = Duration.ZERO;
    Duration end = length;
    Duration pause = FIRST_PAUSE;
    while (true) {
      Duration left = end.minus(waited);
      Duration next = left.compareTo(pause) < 0 ? left : pause;
      waited = waited.plus(next);
      if (!next.isZero()) {
        sleep.pause(
            next, "Interrupted while files were waited for that the store may still be completing");
      }
      pause =
          pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
              ? pause.multipliedBy(2)
              : LONGEST_PAUSE;
      rest = needed.of(rest);
      boolean over = waited.compareTo(end) >= 0;
      // Where very many are absent, all are asked for at the end only.
      List<PendingUpload> later =
          over ? List.of() : rest.subList(Math.min(rest.size(), MOST_ASKED), rest.size());
      Queue<PendingUpload> still = new ConcurrentLinkedQueue<>();
      AtomicBoolean open = new AtomicBoolean();
      workers.forEach(
          over ? rest : rest.subList(0, Math.min(rest.size(), MOST_ASKED)),
          upload -> {
            switch (completion.retry(upload)) {
              case THERE -> {}
              case ABSENT -> still.add(upload);
              case OPEN -> {
                still.add(upload);
                open.set(true);
              }
            }
          });
      rest = Stream.concat(still.stream(), later.stream()).toList();
      if (rest.isEmpty() || (over && !open.get())) {
        return rest;
      }
      if (open.get()) {
        // A Complete that has just been sent may be in progress from now on.
        end = waited.plus(length);
        if (end.compareTo(length.multipliedBy(ROUNDS)) >= 0) {
          throw new IOException(
              ("ZR-1104: it is unknown whether %s uploads are complete, because the store does not"
                      + " answer, among them %s.")
                  .formatted(rest.size(), rest.get(0).destination()));
        }
      }
    }
  }
}
