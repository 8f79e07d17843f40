package io.zerorename.qfiles;

import io.zerorename.hive.HiveOnS3;
import io.zerorename.hive.TableState;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.RequestCounts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Table;

/** Runs q-files in an empty warehouse on S3. */
final class QFileRun {
  private static final String WAREHOUSE = "s3a://" + HiveOnS3.BUCKET + "/";
  private static final String DATA_SETS = "s3a://" + HiveOnS3.OTHER_BUCKET + "/data-sets";
  private static final Pattern SET =
      Pattern.compile("set\\s+(?:hiveconf:)?([\\w.-]+)\\s*=\\s*(.*)", Pattern.CASE_INSENSITIVE);

  /** Commands of Hive's shell, and what shows plans, which are others, or times and the like. */
  private static final Pattern SKIPPED =
      Pattern.compile(
          "(?:!|(?:dfs|set|reset|explain|desc|describe|add\\s+(?:jar|file)|list)\\b).*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern QUERY =
      Pattern.compile(
          "\\(*\\s*(?:select|with|from|values|show\\s+(?:partitions|tables|databases))\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Set<String> LOADED = new HashSet<>();

  private final HiveOnS3 s3;
  private final LocalHive hive;

  /**
   * How a statement ended.
   *
   * @param rows of a query, sorted
   */
  record Answer(String statement, boolean succeeded, List<String> rows) {}

  /**
   * What a q-file has done.
   *
   * @param tables what is left, by name; of one that cannot be read the text says so
   * @param committed the targets that the committer has committed
   * @param fallbacks the console's lines on those that it left to Hive
   * @param copies of the statements of which it committed all targets
   */
  record Outcome(
      List<Answer> answers,
      Map<String, Object> tables,
      int committed,
      List<String> fallbacks,
      long copies) {
    /** For the log of a run. */
    String summary() {
      return String.format(
          Locale.ROOT,
          "%d statements, of which %d failed, %d tables, %d targets committed, %d left to Hive",
          answers.size(),
          answers.stream().filter(it -> !it.succeeded()).count(),
          tables.size(),
          committed,
          fallbacks.size());
    }
  }

  QFileRun(HiveOnS3 s3) {
    this.s3 = s3;
    this.hive = s3.hive();
  }

  /** Runs one; what the last one left is gone then, but for data sets. */
  Outcome of(QFile file, boolean withCommitter) throws Exception {
    s3.reset();
    s3.withoutCommitter();
    clear();
    for (String dataSet : file.dataSets()) {
      load(dataSet);
    }
    moveDatabase("default", WAREHOUSE + "default.db");
    if (withCommitter) {
      s3.withCommitter();
    } else {
      // The server gives directories no ETag, without which S3A does not rename those of no rows.
      hive.set("hive.use.scratchdir.for.staging", "true");
    }
    List<Answer> answers = new ArrayList<>();
    List<String> fallbacks = new ArrayList<>();
    int committed = 0;
    long copies = 0;
    for (String statement : file.statements()) {
      if (isSetting(statement) || SKIPPED.matcher(statement).matches()) {
        continue;
      }
      RequestCounts before = s3.counts();
      answers.add(execute(statement));
      List<String> lines =
          hive.console().lines().filter(it -> it.contains("zero-rename: ")).toList();
      long ours = lines.stream().filter(it -> it.contains("zero-rename: committed ")).count();
      List<String> others =
          lines.stream().filter(it -> it.contains("by Hive's own rename path")).toList();
      committed += (int) ours;
      fallbacks.addAll(others);
      if (ours > 0 && others.isEmpty()) {
        copies += s3.counts().minus(before).copies();
      }
    }
    s3.withoutCommitter();
    return new Outcome(answers, tables(), committed, fallbacks, copies);
  }

  /** Settings hold until the end of the q-file. */
  private boolean isSetting(String statement) {
    Matcher set = SET.matcher(statement);
    if (set.matches()) {
      hive.set(set.group(1), set.group(2).strip());
    }
    return set.matches();
  }

  private Answer execute(String statement) throws Exception {
    try {
      List<String> rows = hive.execute(statement);
      if (statement.toLowerCase(Locale.ROOT).startsWith("create ")) {
        newDatabasesToS3();
      }
      return new Answer(
          statement,
          true,
          QUERY.matcher(statement).matches() ? rows.stream().sorted().toList() : List.of());
    } catch (StatementFailedException e) {
      System.out.println("Failed: " + e.getMessage());
      return new Answer(statement, false, List.of());
    }
  }

  private void load(String dataSet) throws Exception {
    if (LOADED.add(dataSet)) {
      moveDatabase("default", DATA_SETS);
      hive.set("test.data.dir", QFile.data().toString());
      for (String statement : QFile.loadOf(dataSet).statements()) {
        hive.execute(statement);
      }
    }
  }

  private void newDatabasesToS3() throws Exception {
    for (String name : hive.metastore().getAllDatabases()) {
      if (hive.metastore().getDatabase(name).getLocationUri().startsWith("file:")) {
        moveDatabase(name, WAREHOUSE + name + ".db");
      }
    }
  }

  private void moveDatabase(String name, String location) throws Exception {
    Database database = hive.metastore().getDatabase(name);
    database.setLocationUri(location);
    hive.metastore().alterDatabase(name, database);
  }

  private void clear() throws Exception {
    hive.execute("use default");
    for (String database : hive.metastore().getAllDatabases()) {
      if (!database.equals("default")) {
        hive.execute("drop database " + database + " cascade");
      }
    }
    for (String table : hive.metastore().getAllTables("default")) {
      Table found = hive.metastore().getTable("default", table);
      if (found.isView()) {
        hive.execute("drop view `" + table + "`");
      } else if (!found.getPath().toString().startsWith(DATA_SETS)) {
        hive.execute("drop table `" + table + "`");
      }
    }
    s3.bucket().clear("");
  }

  private Map<String, Object> tables() throws Exception {
    hive.resetSettings();
    Map<String, Object> states = new TreeMap<>();
    Hive metastore = hive.metastore();
    for (String database : metastore.getAllDatabases()) {
      for (String name : metastore.getAllTables(database)) {
        Table table = metastore.getTable(database, name);
        if (table.isView() || table.getPath().toString().startsWith(DATA_SETS)) {
          continue;
        }
        Object state;
        try {
          state = TableState.of(hive, database, name, table.getPath().toString());
        } catch (StatementFailedException e) {
          state = "cannot be read";
        }
        states.put(database + "." + name, state);
      }
    }
    return states;
  }
}
