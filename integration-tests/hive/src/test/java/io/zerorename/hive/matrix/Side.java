package io.zerorename.hive.matrix;

import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.hive.HiveOnS3;
import io.zerorename.hive.config.HiveWorkDirectory;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestRecording;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;

/** A database of its own in which the statements of a cell run, with the committer or without. */
final class Side {
  private final HiveOnS3 s3;
  private final Cell cell;
  private final boolean committer;
  private final String database;
  private final String prefix;

  Side(HiveOnS3 s3, Cell cell, boolean committer) {
    this.s3 = s3;
    this.cell = cell;
    this.committer = committer;
    // Equally long, because Avro writes the name of the database into each file.
    String name = committer ? "ours" : "hive";
    this.database = cell.name() + "_" + name;
    this.prefix = cell.name() + "/" + name + "/";
  }

  /** Where all that it writes is. */
  String prefix() {
    return prefix;
  }

  /** Makes what the statements find, on Hive's own path. */
  void create() throws Exception {
    s3.withoutCommitter();
    String root = root();
    s3.hive()
        .execute(
            "create database "
                + database
                + " location '"
                + root
                + "' managedlocation '"
                + root
                + "/managed'");
    s3.hive().execute("use " + database);
    for (String statement : cell.shape().setup()) {
      s3.hive().execute(expanded(statement));
    }
  }

  /** Does what the first commit of a day does, whose requests are not those of a statement. */
  void checkCommitDirectory() throws Exception {
    HiveConf conf = s3.hive().conf();
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      WorkDirectory work = WorkDirectory.of(HiveWorkDirectory.of(conf), conf);
      work.create();
      new CommitLogs(stores, conf).check(new Path(root(), "table"), Optional.of(work));
    }
  }

  /** Goes back to where other tests are; what the cell has made is left, and harms nobody. */
  void leave() throws StatementFailedException {
    s3.withoutCommitter();
    s3.hive().execute("use default");
  }

  /** The statement's plan, with the hooks of this side or without them. */
  String plan(String statement, boolean hooks) throws StatementFailedException {
    enter(hooks);
    return Plans.comparable(s3.hive().compile(expanded(statement)));
  }

  /** Runs one statement, and looks at what it has done. */
  Step run(String statement) throws Exception {
    enter(committer);
    Set<String> filesBefore = Set.copyOf(s3.bucket().files(prefix));
    Settings settingsBefore = Settings.of(s3);
    Optional<String> failure = Optional.empty();
    RequestCounts before = s3.counts();
    RequestRecording recording = s3.record();
    try {
      s3.hive().execute(expanded(statement));
    } catch (StatementFailedException e) {
      failure = Optional.of(rootMessage(e));
    } finally {
      recording.close();
    }
    RequestCounts counts = s3.counts().minus(before);
    String console = s3.hive().console();
    Set<String> changed = Settings.of(s3).changedSince(settingsBefore);
    Set<String> newFiles = new HashSet<>(s3.bucket().files(prefix));
    newFiles.removeAll(filesBefore);
    newFiles.removeIf(key -> key.contains("/_zerorename/"));
    s3.withoutCommitter();
    return new Step(
        statement,
        failure,
        Outcome.in(console),
        counts,
        recording.requests(),
        newFiles,
        changed,
        Facts.of(s3, database, prefix));
  }

  private void enter(boolean hooks) throws StatementFailedException {
    s3.hive().set("hive.use.scratchdir.for.staging", Boolean.toString(usesScratch(hooks)));
    if (hooks) {
      s3.withCommitter();
    } else {
      s3.withoutCommitter();
    }
    s3.hive().execute("use " + database);
  }

  private boolean usesScratch(boolean hooks) {
    return (cell.shape().stockOnScratch() && !hooks)
        || cell.shape().settings().containsKey("hive.use.scratchdir.for.staging");
  }

  private String expanded(String statement) {
    return statement
        .replace("${stored}", cell.format().stored())
        .replace("${root}", root())
        .replace("${local}", Sources.directory(s3).toUri().getPath());
  }

  private String root() {
    return "s3a://" + HiveOnS3.BUCKET + "/" + prefix.substring(0, prefix.length() - 1);
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getClass().getSimpleName()
        + ": "
        + String.valueOf(root.getMessage()).lines().findFirst().orElse("");
  }
}
