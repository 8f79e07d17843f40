package io.zerorename.testing.hive;

import io.zerorename.testing.install.Cluster;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.common.io.SessionStream;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.QueryPlan;
import org.apache.hadoop.hive.ql.exec.ExplainTask;
import org.apache.hadoop.hive.ql.exec.mr.ExecMapper;
import org.apache.hadoop.hive.ql.log.PerfLogger;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.parse.ExplainConfiguration;
import org.apache.hadoop.hive.ql.plan.ExplainWork;
import org.apache.hadoop.hive.ql.processors.CommandProcessorException;
import org.apache.hadoop.hive.ql.session.SessionState;

/**
 * A session of a real Hive with its metastore in memory, on Tez in local mode or on MapReduce in
 * local mode, in this JVM. Not thread-safe: Hive ties a session to the thread that started it.
 *
 * <p>Sessions of one JVM share the metastore. Credentials for S3 must be in the environment,
 * because Hive removes secrets from the configuration of its tasks.
 */
public final class LocalHive implements Closeable {

  private final Path directory;
  private final HiveConf conf;
  private final SessionState session;
  private final Map<String, Optional<String>> original = new HashMap<>();
  private final ByteArrayOutputStream console = new ByteArrayOutputStream();
  private StatementTimes times = StatementTimes.NONE;

  private LocalHive(Path directory, HiveConf conf) {
    this.directory = directory;
    this.conf = conf;
    this.session = new SessionState(conf);
  }

  /**
   * Starts a session.
   *
   * @param directory an existing local directory for warehouse and scratch
   * @param settings on top of hive-site.xml
   */
  public static LocalHive start(Path directory, Map<String, String> settings) throws IOException {
    HiveConf conf = new HiveConf();
    Files.createDirectories(directory.resolve("scratch"));
    Cluster.placesOfHive(directory).forEach(conf::set);
    settings.forEach(conf::set);
    LocalHive hive = new LocalHive(directory, conf);
    hive.open();
    return hive;
  }

  private void open() throws IOException {
    PrintStream out = new PrintStream(console, true, StandardCharsets.UTF_8);
    SessionState.start(session);
    session.out = new SessionStream(out);
    session.err = new SessionStream(out);
    session.info = new SessionStream(out);
  }

  /** Changes a setting for the statements to come, until {@link #resetSettings}. */
  public LocalHive set(String key, String value) {
    original.putIfAbsent(key, Optional.ofNullable(conf.get(key)));
    conf.set(key, value);
    return this;
  }

  /** Removes a setting for the statements to come, until {@link #resetSettings}. */
  public LocalHive unset(String key) {
    original.putIfAbsent(key, Optional.ofNullable(conf.get(key)));
    conf.unset(key);
    return this;
  }

  /** Undoes every {@link #set} and {@link #unset}. */
  public void resetSettings() {
    original.forEach(
        (key, value) -> value.ifPresentOrElse(text -> conf.set(key, text), () -> conf.unset(key)));
    original.clear();
  }

  public HiveConf conf() {
    return conf;
  }

  /** The local directory of warehouse and scratch. */
  public Path directory() {
    return directory;
  }

  /** The metastore, as Hive sees it. */
  public Hive metastore() throws HiveException {
    return Hive.get(conf);
  }

  /**
   * Runs one statement.
   *
   * @return the rows of a query, columns separated by tabs; none for other statements
   */
  public List<String> execute(String sql) throws StatementFailedException {
    console.reset();
    times = StatementTimes.NONE;
    // A map task of MapReduce leaves it in the JVM where it did not need all of its input, such as
    // the endless one of VALUES; readers of Tez, which has no map task that resets it, end at once.
    ExecMapper.setDone(false);
    IDriver driver = DriverFactory.newDriver(conf);
    try {
      // In two steps, as HiveServer2 does. Tasks write to the performance log of the compilation,
      // which Hive replaces by a new one before it runs them.
      driver.compileAndRespond(sql);
      PerfLogger taskLog = SessionState.getPerfLogger();
      driver.run();
      times = StatementTimes.of(driver.getQueryDisplay(), taskLog.getEndTimes());
      List<String> result = new ArrayList<>();
      List<Object> rows = new ArrayList<>();
      while (driver.getResults(rows)) {
        rows.forEach(row -> result.add(String.valueOf(row)));
        rows.clear();
      }
      return result;
    } catch (CommandProcessorException e) {
      throw new StatementFailedException(
          sql + "\n" + e.getMessage() + "\n" + console(), e.getCause() == null ? e : e.getCause());
    } catch (IOException e) {
      throw new StatementFailedException(sql + "\n" + e.getMessage(), e);
    } finally {
      driver.close();
      driver.destroy();
    }
  }

  /**
   * Compiles one statement, hooks included, without running it.
   *
   * @return its plan as extended EXPLAIN shows it, in JSON
   */
  public String compile(String sql) throws StatementFailedException {
    console.reset();
    IDriver driver = DriverFactory.newDriver(conf);
    try {
      driver.compileAndRespond(sql);
      QueryPlan plan = driver.getPlan();
      ExplainConfiguration format = new ExplainConfiguration();
      format.setExtended(true);
      format.setFormatted(true);
      ExplainWork work =
          new ExplainWork(
              null,
              null,
              plan.getRootTasks(),
              plan.getFetchTask(),
              null,
              null,
              format,
              null,
              null,
              null);
      ExplainTask explain = new ExplainTask();
      explain.setWork(work);
      explain.initialize(driver.getQueryState(), plan, null, driver.getContext());
      return explain.getJSONPlan(null, work).toString();
    } catch (CommandProcessorException e) {
      throw new StatementFailedException(
          sql + "\n" + e.getMessage() + "\n" + console(), e.getCause() == null ? e : e.getCause());
    } catch (Exception e) {
      throw new StatementFailedException(sql + "\n" + e.getMessage(), e);
    } finally {
      driver.close();
      driver.destroy();
    }
  }

  /** What the last statement wrote to the console. */
  public String console() {
    return console.toString(StandardCharsets.UTF_8);
  }

  /** When the tasks of the last statement ran; nothing for one that failed. */
  public StatementTimes times() {
    return times;
  }

  @Override
  public void close() throws IOException {
    session.close();
  }
}
