package io.zerorename.hive.commit;

import io.zerorename.core.commit.CommitDamagedException;
import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.CommitRequest;
import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.hive.metastore.FileTotals;
import io.zerorename.hive.metastore.InsertEvents;
import io.zerorename.hive.metastore.NewPartitions;
import io.zerorename.hive.metastore.StoredStatistics;
import io.zerorename.hive.write.MergedFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState.LogHelper;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The commit of one INSERT, from its partitions to their registration in the metastore. */
final class InsertCommit implements Closeable {
  private final BegunInsert insert;
  private final CommitWork work;
  private final boolean isAlone;
  private final BooleanSupplier hasRows;
  private final HiveConf conf;
  private final Hive hive;
  private final LogHelper console;

  /** Open until the query ends: {@link CommitReport#open} uses them to note its end. */
  private final S3AObjectStores s3;

  private Optional<CommitReport> report = Optional.empty();

  /**
   * @param isAlone whether no task has written for it, because another job has committed its run
   * @param hasRows whether tasks have written rows, as far as is known
   */
  InsertCommit(
      BegunInsert insert,
      boolean isAlone,
      BooleanSupplier hasRows,
      HiveConf conf,
      Hive hive,
      LogHelper console) {
    this.insert = insert;
    this.work = insert.work();
    this.isAlone = isAlone;
    this.hasRows = hasRows;
    this.conf = conf;
    this.hive = hive;
    this.console = console;
    this.s3 = new S3AObjectStores(conf);
  }

  /** What the commit did; empty before it, present also where a step after it has failed. */
  Optional<CommitReport> report() {
    return report;
  }

  /**
   * Makes the files visible, and then registers new partitions in the metastore, but for those that
   * a later commit replaces.
   *
   * @param refuseIfCancelled fails where the query was cancelled
   */
  CommittedInsert run(InvocationRaisingIOE refuseIfCancelled) throws IOException, HiveException {
    CommitLog log = insert.openLog(s3);
    if (isAlone) {
      Optional<Table> table = WrittenPartitions.of(work, conf).table(hive);
      return repeated(log, commit(log, LeftFiles.NONE, table, this::refuseAlone), table);
    }
    if (work.merged().isPresent()) {
      uploadMerged(work.merged().get(), refuseIfCancelled);
    }
    WrittenPartitions partitions = WrittenPartitions.of(work, conf);
    partitions.refuseBeyondLimits(conf);
    Optional<Table> table = partitions.table(hive);
    Set<String> created = partitions.refuseMoved(hive, table, conf);
    Map<String, Map<String, String>> before = StoredStatistics.snapshot(table, partitions.known());
    LeftFiles left = LeftFiles.of(work, conf, s3, log, partitions.places(created), hive, table);
    CommitReport committed = commit(log, left, table, refuseIfCancelled);
    if (committed.repeats().isPresent()) {
      return repeated(log, committed, table);
    }
    left.message(work.target().name()).ifPresent(this::say);
    say(committed.line(work.description(), s3.requests()));
    Map<Path, FileTotals> written = written(committed, created);
    Map<Path, FileTotals> files = work.overwrites() ? Map.copyOf(written) : Map.of();
    // A statement that drops one before this is decided comes before it, and its rows are there.
    Set<String> dropped = partitions.dropped(hive, table);
    NewPartitions missing = new NewPartitions(hive, conf, console);
    if (!created.isEmpty() || !dropped.isEmpty()) {
      Map<String, Path> places = new HashMap<>(partitions.places(dropped));
      // What else lies there is not known.
      written.keySet().removeAll(places.values());
      places.putAll(partitions.places(created));
      missing.add(table.orElseThrow(), places, committed.replacedLater(), written, left.kept());
    }
    if (!missing.replaced().isEmpty()) {
      say(
          "ZR-5214: "
              + work.description()
              + " leaves partitions to a later commit, which replaces them: "
              + missing.replaced());
    }
    List<Partition> existing = new ArrayList<>(missing.existing());
    partitions.known().stream()
        .filter(it -> !dropped.contains(it.getName()))
        .forEach(existing::add);
    return new CommittedInsert(
        committed,
        files,
        missing.uncounted(),
        before,
        table,
        existing,
        missing.added(),
        events(committed, existing, table),
        partitions.areAll(missing.replaced()));
  }

  /**
   * Sees to it that the rows are there, and the partitions known. The job that has committed the
   * run counts them, or what completes it says that they are not known; here nothing is to be
   * counted.
   */
  private CommittedInsert repeated(CommitLog log, CommitReport other, Optional<Table> table)
      throws IOException {
    TableRecovery recovery = new TableRecovery(hive, work.target(), s3, conf);
    new Recovery(s3, log, work.settings(conf), recovery).completeRun(other);
    recovery
        .addPartitions(table.orElseThrow(), log.plan(other.entry()), other.replacedLater())
        .forEach(this::say);
    say(other.line(work.description(), s3.requests()));
    return CommittedInsert.repeated(other, table);
  }

  /** Without the entry for which no task has run it would commit nothing as the rows of the run. */
  private void refuseAlone() throws IOException {
    throw new IOException(
        ("ZR-5248: %s was not committed: its run was committed when it began, so that no task has"
                + " written its rows, and that entry has gone from the commit log since. Nothing was"
                + " changed; run it again.")
            .formatted(work.description()));
  }

  /** The commit's own files by place. Where another process has completed it, its plan is gone. */
  private Map<Path, FileTotals> written(CommitReport committed, Set<String> created)
      throws IOException {
    Map<Path, FileTotals> written = new HashMap<>();
    if (committed.open().isEmpty() || (!work.overwrites() && created.isEmpty())) {
      return written;
    }
    Path destination = work.output().destination();
    if (!work.isDynamic()) {
      written.put(destination, FileTotals.NONE);
    }
    RemoteIterators.foreach(
        committed.open().get().plan().uploads(),
        file ->
            written.merge(
                work.isDynamic() ? file.destination().getParent() : destination,
                new FileTotals(1, file.length()),
                FileTotals::and));
    return written;
  }

  /**
   * Partitions are registered though files of the INSERT are lost, because the others are visible:
   * the next INSERT INTO would replace what lies in the directory of an unknown one. Where that
   * fails, the entry is open for the metastore, and a later statement does it.
   */
  private void registerDamaged(OpenCommit commit, CommitDamagedException damage) {
    try {
      new TableRecovery(hive, work.target(), s3, conf).afterFiles(commit);
      commit.end();
    } catch (IOException | RuntimeException e) {
      damage.addSuppressed(e);
    }
  }

  private void uploadMerged(Path files, InvocationRaisingIOE refuseIfCancelled) throws IOException {
    MergedFiles merged = MergedFiles.in(work.output(), files, work.dynamicColumns(), conf);
    if (merged.count() == 0 && hasRows.getAsBoolean()) {
      throw new IOException(
          ("ZR-5249: %s was not committed: its tasks have written rows, and Hive has left none of"
                  + " their files in %s. Nothing was changed. Either the last partition column has"
                  + " a name that begins with an underscore, so that Hive does not see its"
                  + " directories, or something has deleted the files meanwhile.")
              .formatted(work.description(), files));
    }
    say(
        work.description()
            + ": uploads "
            + merged.count()
            + " files, "
            + merged.bytes()
            + " bytes, from "
            + files);
    merged.upload(work.settings(conf).threads(), refuseIfCancelled);
  }

  /** A partition that another program has added meanwhile keeps what lies in its directory. */
  private void refuseKnown(LeftFiles left, Optional<Table> table) throws IOException {
    if (left.partitions().isEmpty()) {
      return;
    }
    try {
      List<Partition> known = hive.getPartitionsByNames(table.orElseThrow(), left.partitions());
      if (!known.isEmpty()) {
        throw new IOException(
            ("ZR-5243: %s was not committed: while it ran, another program has added the partition"
                    + " %s with files that the statement would have replaced. Nothing was changed;"
                    + " run it again.")
                .formatted(work.description(), known.get(0).getName()));
      }
    } catch (HiveException e) {
      throw new IOException(
          "ZR-5244: %s was not committed: the metastore does not say which partitions it knows: %s"
              .formatted(work.description(), e.getMessage()),
          e);
    }
  }

  private CommitReport commit(
      CommitLog log, LeftFiles left, Optional<Table> table, InvocationRaisingIOE refuseIfCancelled)
      throws IOException {
    FileSystem scratch = work.output().staging().getFileSystem(conf);
    JobDirectory directory = JobDirectory.of(work.jobDirectory(), conf);
    OutputJob job =
        new OutputJob(
            work.output().jobId(),
            work.description(),
            work.target().path(),
            List.of(work.output().destination()),
            false,
            work.target().attributes(table));
    CommitRequest request =
        new CommitRequest(
            insert.run().map(job::ofRun).orElse(job),
            ManifestSource.filesBelow(scratch, work.manifests(scratch)),
            overwrite(left),
            Optional.of(work.begun()),
            directory::refuseLost,
            () -> {
              refuseIfCancelled.apply();
              refuseKnown(left, table);
            },
            Committer.WITH_METASTORE,
            insert.seen());
    // For the session's console, and by it for HiveServer2's log of the operation.
    CommitProgress progress = CommitProgress.from(conf, it -> say(work.description() + ": " + it));
    CommitReport committed;
    try {
      committed = new JobCommit(s3, directory, log, work.settings(conf), progress, request).run();
    } catch (CommitDamagedException e) {
      e.executed().ifPresent(it -> registerDamaged(it, e));
      throw e;
    }
    report = Optional.of(committed);
    return committed;
  }

  private Overwrite overwrite(LeftFiles left) {
    if (!work.overwrites()) {
      return Overwrite.objects(left.replaced());
    }
    return work.isDynamic()
        ? Overwrite.directoriesOfFiles()
        : Overwrite.directory(work.output().destination());
  }

  /** For listeners of the metastore. */
  private InsertEvents events(
      CommitReport committed, List<Partition> existing, Optional<Table> table) throws IOException {
    if (table.isEmpty() || !conf.getBoolVar(ConfVars.FIRE_EVENTS_FOR_DML)) {
      return InsertEvents.NONE;
    }
    if (committed.open().isEmpty()) {
      // The process that resumed the commit alters its partitions, which sends events as well.
      say(
          "ZR-5216: listeners of the metastore get no event of the files that "
              + work.description()
              + " has added: another process has completed the commit");
      return InsertEvents.NONE;
    }
    return InsertEvents.of(
        table.get(),
        work.output().destination(),
        work.overwrites(),
        existing,
        committed.open().get().plan().uploads());
  }

  /** Hive's console helper writes the line to the log as well. */
  private void say(String message) {
    console.printInfo("zero-rename: " + message);
  }

  @Override
  public void close() throws IOException {
    s3.close();
  }
}
