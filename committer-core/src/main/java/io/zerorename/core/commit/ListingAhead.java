package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists what an overwrite replaces while the rest of its plan is still being found out: while the
 * metastore is asked and manifests are read. First of all it looks whether a commit is open that
 * concerns the directories, and it lists them only where none is, right after that look.
 *
 * <p>Its result is taken where it is of the very directories that the plan replaces and was there
 * no more than some seconds before the plan needs it: files that others add after the listing stay
 * beside the new ones, which must not become likelier with the number of manifests. In every other
 * case the commit goes on as if there were no such listing.
 */
public final class ListingAhead implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ListingAhead.class);

  /** How old a listing may be when it is needed, from its end. */
  private static final Duration YOUNG = Duration.ofSeconds(3);

  /** More objects are not held in memory; as many as {@link JointListing} holds. */
  static final int MOST_OBJECTS = JointListing.MOST_REQUESTS * JointListing.KEYS_PER_REQUEST;

  private static final ListingAhead NONE = new ListingAhead(Set.of(), Optional.empty(), YOUNG);

  /** Tells, once, whether anything stands against listing the directories now. */
  @FunctionalInterface
  public interface Look {
    boolean isClear() throws IOException;
  }

  private final Set<Path> directories;
  private final Optional<Running> running;
  private final Duration young;

  private record Running(FutureTask<Optional<Listed>> task, Thread thread) {}

  private ListingAhead(Set<Path> directories, Optional<Running> running, Duration young) {
    this.directories = requireNonNull(directories, "directories");
    this.running = requireNonNull(running, "running");
    this.young = requireNonNull(young, "young");
  }

  /** Nothing is listed ahead. */
  public static ListingAhead none() {
    return NONE;
  }

  /**
   * Begins to look and to list, in a thread of its own. Nothing is done where there are no
   * directories, or one thread only, which is the caller.
   *
   * @param threads requests in flight at most
   * @param roots nothing that lies outside of them is listed together
   * @param directories that the job will replace, as far as is known yet
   * @param look made in that thread
   */
  public static ListingAhead begin(
      ObjectStores stores, int threads, List<Path> roots, Set<Path> directories, Look look) {
    return begin(stores, threads, roots, directories, look, YOUNG);
  }

  /**
   * @param young how old the listing may be when it is needed
   */
  static ListingAhead begin(
      ObjectStores stores,
      int threads,
      List<Path> roots,
      Set<Path> directories,
      Look look,
      Duration young) {
    if (threads == 1 || directories.isEmpty()) {
      return none();
    }
    Set<Path> listed = Set.copyOf(directories);
    List<Path> within = List.copyOf(roots);
    FutureTask<Optional<Listed>> task =
        new FutureTask<>(
            () -> look.isClear() ? list(stores, threads, within, listed) : Optional.empty());
    Thread thread = new Thread(task, "zerorename-listing");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      LOG.info("There is no thread in which old files could be listed ahead", e);
      return none();
    }
    return new ListingAhead(listed, Optional.of(new Running(task, thread)), young);
  }

  private static Optional<Listed> list(
      ObjectStores stores, int threads, List<Path> roots, Set<Path> directories)
      throws IOException {
    long begun = System.nanoTime();
    List<Listed.Found> found = new ArrayList<>();
    JointListing listing =
        new JointListing(
            stores,
            roots,
            (directory, object) -> {
              synchronized (found) {
                if (found.size() == MOST_OBJECTS) {
                  throw new TooManyException();
                }
                found.add(new Listed.Found(directory, object));
              }
            });
    try (Workers workers = new Workers(threads)) {
      listing.visit(MakePlan.listedThemselves(directories), workers);
    } catch (TooManyException e) {
      return Optional.empty();
    }
    return Optional.of(new Listed(begun, System.nanoTime(), found));
  }

  /** Ends a listing whose result would not fit into memory. */
  private static final class TooManyException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * What lies in the directories.
   *
   * @param begun when the listing began, by {@link System#nanoTime}
   * @param ended when it was there
   */
  record Listed(long begun, long ended, List<Found> objects) {
    /** An object, and the one of the directories in which it was found. */
    record Found(Path directory, ObjectSummary object) {}

    void visit(JointListing.Visitor visitor) throws IOException {
      for (Found it : objects) {
        visitor.found(it.directory(), it.object());
      }
    }
  }

  /**
   * The listing, for which it waits; empty where it does not serve.
   *
   * @param replaced the directories that the plan replaces
   * @throws InterruptedIOException where the caller was interrupted
   */
  Optional<Listed> await(Set<Path> replaced) throws InterruptedIOException {
    if (running.isEmpty()) {
      return Optional.empty();
    }
    if (!directories.equals(replaced)) {
      LOG.debug("{} were listed ahead, and {} are replaced", directories, replaced);
      return Optional.empty();
    }
    long needed = System.nanoTime();
    return result(running.get().task())
        .filter(listed -> needed - listed.ended() <= young.toNanos());
  }

  private static Optional<Listed> result(FutureTask<Optional<Listed>> task)
      throws InterruptedIOException {
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted (query cancelled?)");
    } catch (ExecutionException e) {
      LOG.info("Old files could not be listed ahead, and are listed again", e.getCause());
      return Optional.empty();
    }
  }

  /** Gives the listing up, and returns when no request of it is under way any more. */
  @Override
  public void close() {
    if (running.isEmpty()) {
      return;
    }
    running.get().task().cancel(true);
    boolean interrupted = false;
    while (true) {
      try {
        running.get().thread().join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
