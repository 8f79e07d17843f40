package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.EngineStatement;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.magic.job.EngineJobId;
import io.zerorename.magic.job.OutputRecovery;
import io.zerorename.magic.job.SuccessMarker;
import io.zerorename.spark.AffectedTable.Change;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A statement by which Spark itself changes files of a table, past the commit protocol. Where it
 * removes or replaces files, no file of an earlier commit may appear afterwards: the table's log is
 * read before, and an entry is written after, where the log has open entries or has got others.
 * Where each row stays, or what is replaced goes to Trash, earlier commits that were interrupted
 * are resumed first.
 */
final class BypassingStatement implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BypassingStatement.class);

  private final AffectedTable table;
  private final Configuration conf;
  private final S3AObjectStores stores;

  /** Where files are removed, unless the log cannot be read and the statement goes on. */
  private Optional<EngineStatement> removal = Optional.empty();

  private Set<Path> within = Set.of();

  BypassingStatement(AffectedTable table, Configuration conf) {
    this.table = requireNonNull(table, "table");
    this.conf = requireNonNull(conf, "conf");
    this.stores = new S3AObjectStores(conf);
  }

  /**
   * Reads the log, before Spark changes anything. One LIST, or two.
   *
   * @throws IOException where the statement must not run
   */
  void begin() throws IOException {
    boolean resumes = table.change() == Change.KEEP || table.change() == Change.REPLACE;
    within = table.within();
    List<Long> open = List.of();
    try {
      if (resumes) {
        open =
            new OutputRecovery(
                    table.description(), table.path(), List.of(table.path()), conf, stores, false)
                .runAll(log());
      }
      if (table.change() != Change.KEEP) {
        CommitSettings settings = CommitSettings.from(conf, ObjectKeys.bucketOf(table.path()));
        removal = Optional.of(new EngineStatement(stores, log(), settings, within));
      }
    } catch (IOException | RuntimeException e) {
      if (resumes && Thread.currentThread().isInterrupted()) {
        throw cancelled(e);
      }
      unreadable(e);
    }
    if (table.change() == Change.REPLACE && !open.isEmpty()) {
      throw new IOException(
          ("ZR-7134: %s was not run, and nothing was changed: entries %s of %s were interrupted, and"
                  + " could not be completed. Their rows would appear beside those of the statement."
                  + " Run: zerorename recover %s")
              .formatted(table.description(), open, log().directory(), table.path()));
    }
  }

  private CommitLog log() {
    return new CommitLogs(stores, conf).of(table.path());
  }

  private InterruptedIOException cancelled(Exception failure) {
    InterruptedIOException cancelled =
        new InterruptedIOException(
            "ZR-7132: %s was not run: it was cancelled while earlier commits were completed."
                .formatted(table.description()));
    cancelled.initCause(failure);
    return cancelled;
  }

  /** Fails the statement, or warns where it may go on. */
  private void unreadable(Exception failure) throws IOException {
    if (table.change() == Change.KEEP) {
      LOG.warn(
          "ZR-7125: {}: whether commits there were interrupted cannot be found out now. If one was,"
              + " it may be left to: zerorename recover {}",
          table.description(),
          table.path(),
          failure);
      return;
    }
    if (table.change() == Change.DROP
        || (failure instanceof StoreException store
            && store.kind() == StoreException.Kind.ACCESS_DENIED)) {
      LOG.warn(
          "ZR-7126: {} goes on, but the table's commit log cannot be read. Rows of a write that was"
              + " interrupted before may appear later",
          table.description(),
          failure);
      return;
    }
    throw new IOException(
        ("ZR-7127: %s was not run, and nothing was changed: the table's commit log cannot be read:"
                + " %s Without it, rows of a write that was interrupted before may appear later."
                + " Run the statement again.")
            .formatted(table.description(), ErrorText.of(failure)),
        failure);
  }

  /**
   * Decides and executes the entry, if one is needed, after Spark has run the statement. One LIST
   * where none is.
   */
  void end() throws IOException {
    end(
        () -> {
          Set<Path> changed = new LinkedHashSet<>(within);
          if (table.partitions().isEmpty()) {
            // Directories that open entries may change can lie outside of the table's location.
            changed = new LinkedHashSet<>(removal.orElseThrow().scope());
            changed.add(table.path());
          }
          return changed;
        });
  }

  /**
   * The same after a statement of which only its run tells what it has changed.
   *
   * @param directories whose files it has removed or replaced; asked where an entry may be needed
   */
  void end(CallableRaisingIOE<Set<Path>> directories) throws IOException {
    try {
      if (removal.isPresent() && !removal.get().isAlone()) {
        end(removal.get(), directories.apply());
      }
    } catch (IOException | RuntimeException e) {
      failed(e);
    }
  }

  private void end(EngineStatement statement, Set<Path> changed) throws IOException {
    statement
        .commit(job(changed), changed, since -> !isTaken(since))
        .ifPresent(
            cleared ->
                LOG.warn(
                    "ZR-7128: {} was written to the log as entry {} of {}, because entries {} had"
                        + " been interrupted or ran at the same time; their files were removed",
                    table.description(),
                    cleared.number(),
                    log().directory(),
                    cleared.follows()));
  }

  private OutputJob job(Set<Path> changed) {
    String id = UUID.randomUUID().toString();
    return new OutputJob(
        id,
        table.description(),
        table.path(),
        WrittenFiles.rootsOf(table.path(), changed),
        false,
        SuccessMarker.wanted(false, new EngineJobId(id, EngineJobId.SPARK_WRITE)));
  }

  /**
   * Whether the place of a dropped table is that of another one by now: of the same name, or of one
   * to which jobs may have written that were decided there since. Nothing says to which.
   */
  private boolean isTaken(List<OutputJob> since) {
    boolean taken =
        table.change() == Change.DROP
            && (!since.isEmpty()
                || SparkSession.active()
                    .sessionState()
                    .catalog()
                    .externalCatalog()
                    .tableExists(table.table().database(), table.table().identifier().table()));
    if (taken) {
      LOG.warn(
          "ZR-7133: {} may be another table's place by now, and so {} has no entry in its commit"
              + " log. If an earlier commit of the dropped table was interrupted, {}",
          table.path(),
          table.description(),
          RecoveryAdvice.toGiveUp(table.path()));
    }
    return taken;
  }

  private void failed(Exception failure) throws IOException {
    String message =
        ("ZR-7129: Spark has run %s, but the commit log %s could not be read or written after that:"
                + " %s If a write was interrupted before, or ran at the same time, rows of it may be"
                + " there or appear later.")
            .formatted(table.description(), log().directory(), ErrorText.of(failure));
    String command = RecoveryAdvice.toGiveUp(table.path());
    if (table.change() == Change.DROP) {
      LOG.warn("{} {}", message, command, failure);
      return;
    }
    String advice = " In that case run the statement again. If that is not possible: ";
    throw new IOException(message + advice + command, failure);
  }

  @Override
  public void close() throws IOException {
    stores.close();
  }
}
