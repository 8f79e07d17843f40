package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the log and lists what an overwrite replaces before its commit begins, while the metastore
 * is asked about the table. The commit waits for it before it reads manifests. The log is read
 * before the objects are listed; what is decided in between, or later, has a higher number, which
 * the commit meets when it decides. So the result serves however long that takes.
 */
public final class ListingPrefetch implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ListingPrefetch.class);

  /** More objects are not held in memory; as many as {@link GroupedListing} holds. */
  static final int MOST_OBJECTS = GroupedListing.MOST_REQUESTS * GroupedListing.KEYS_PER_REQUEST;

  private static final ListingPrefetch NONE = new ListingPrefetch(Set.of(), Optional.empty());

  private final Set<Path> directories;
  private final Optional<Running> running;

  private record Running(FutureTask<Optional<Listed>> task, Thread thread) {}

  private ListingPrefetch(Set<Path> directories, Optional<Running> running) {
    this.directories = requireNonNull(directories, "directories");
    this.running = requireNonNull(running, "running");
  }

  /** Nothing is listed ahead. */
  public static ListingPrefetch none() {
    return NONE;
  }

  /**
   * Begins, in a thread of its own. Nothing is done where there are no directories, or one thread
   * only, which is the caller.
   *
   * @param begun when the job was set up: the log is read from then on
   * @param settings of the job
   * @param roots nothing that lies outside of them is listed together
   * @param directories that the job will replace, as far as is known yet
   */
  public static ListingPrefetch begin(
      ObjectStores stores,
      CommitLog log,
      Instant begun,
      CommitSettings settings,
      List<Path> roots,
      Set<Path> directories) {
    if (settings.threads() == 1 || directories.isEmpty()) {
      return none();
    }
    Set<Path> listed = Set.copyOf(directories);
    List<Path> within = List.copyOf(roots);
    FutureTask<Optional<Listed>> task =
        new FutureTask<>(() -> list(stores, log, begun, settings, within, listed));
    Thread thread = new Thread(task, "zerorename-listing");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      LOG.info("There is no thread in which old files could be listed ahead", e);
      return none();
    }
    return new ListingPrefetch(listed, Optional.of(new Running(task, thread)));
  }

  private static Optional<Listed> list(
      ObjectStores stores,
      CommitLog log,
      Instant set,
      CommitSettings settings,
      List<Path> roots,
      Set<Path> directories)
      throws IOException {
    LogTail tail = log.tailSince(set);
    SortedSet<Long> follows = log.following(new DirectorySet(directories), tail);
    ListingTime begun = ListingTime.now(log);
    List<GroupedListing.Found> found = new ArrayList<>();
    GroupedListing.Visitor visitor =
        (directory, object) -> {
          synchronized (found) {
            if (found.size() == MOST_OBJECTS) {
              throw new TooManyException();
            }
            found.add(new GroupedListing.Found(directory, object));
          }
        };
    try (Workers workers = settings.workers()) {
      ReplacedListing.visit(stores, roots, directories, visitor, workers);
    } catch (TooManyException e) {
      return Optional.empty();
    }
    return Optional.of(new Listed(tail, follows, begun, found));
  }

  /** Ends a listing whose result would not fit into memory. */
  private static final class TooManyException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * What the log shows, and then what lies in the directories.
   *
   * @param follows the entries that an overwrite of the directories follows
   * @param begun when the listing began
   */
  record Listed(
      LogTail tail,
      SortedSet<Long> follows,
      ListingTime begun,
      List<GroupedListing.Found> objects) {
    void visit(GroupedListing.Visitor visitor) throws IOException {
      for (GroupedListing.Found it : objects) {
        visitor.found(it.directory(), it.object());
      }
    }
  }

  /**
   * The listing, for which it waits; empty where there is none.
   *
   * @throws InterruptedIOException where the caller was interrupted
   */
  Optional<Listed> await() throws InterruptedIOException {
    if (running.isEmpty()) {
      return Optional.empty();
    }
    try {
      return running.get().task().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted (query cancelled?)");
    } catch (ExecutionException e) {
      LOG.info("Old files could not be listed ahead, and are listed again", e.getCause());
      return Optional.empty();
    }
  }

  boolean isOf(Set<Path> replaced) {
    return directories.equals(replaced);
  }

  /** Cancels the listing, and returns when no request of it is under way any more. */
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
