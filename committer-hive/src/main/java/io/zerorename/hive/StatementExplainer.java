package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.hive.fallback.Eligibility;
import io.zerorename.hive.fallback.FailInsteadOfFallback;
import io.zerorename.hive.fallback.Fallback;
import io.zerorename.hive.fallback.NotEligible;
import io.zerorename.hive.plan.PlanReader;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.Statement;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hive.common.io.SessionStream;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.hive.ql.Context;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.parse.ASTNode;
import org.apache.hadoop.hive.ql.parse.ParseException;
import org.apache.hadoop.hive.ql.parse.ParseUtils;
import org.apache.hadoop.hive.ql.plan.ExplainWork;
import org.apache.hadoop.hive.ql.processors.CommandProcessorException;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.thrift.TException;

/**
 * Explains whether the committer would be used for a statement, by the rules of {@link
 * ZeroRenameHook}, and runs nothing.
 *
 * <p>Hive compiles the statement as an EXPLAIN, for which it makes no directories and takes no
 * locks. Its session has a scratch directory in a temporary directory of this machine. Not checked
 * is whether the work directory and the store can keep the committer's records: only a statement
 * that is run writes there.
 *
 * <p>A session of Hive belongs to the thread that makes it, and replaces another there.
 */
public final class StatementExplainer {
  private static final Pattern NAME = Pattern.compile("[`\\w]+(\\.[`\\w]+)?");

  private final HiveConf conf;

  /**
   * @param configuration with what hive-site.xml says, and a metastore to ask
   */
  public StatementExplainer(Configuration configuration) {
    requireNonNull(configuration, "configuration");
    this.conf = MetastoreAccess.conf(configuration);
  }

  /**
   * Explains a statement, or for the name of a table INSERT INTO and INSERT OVERWRITE of it.
   *
   * @return one for each target of the statement
   * @throws ExplainFailedException where Hive does not understand it, or no metastore is named
   * @throws IOException where the metastore does not answer, or the session's temporary directory
   *     cannot be made or deleted
   */
  public List<Explanation> explain(String statementOrTable)
      throws ExplainFailedException, IOException {
    String text = statementOrTable.strip().replaceFirst(";$", "");
    MetastoreAccess.require(conf);
    java.nio.file.Path scratch = Files.createTempDirectory("zerorename-explain-");
    try {
      HiveConf session = withScratchIn(scratch);
      if (!NAME.matcher(text).matches()) {
        return compile(text, session);
      }
      // A table may well allow what the session does not.
      session.setVar(ConfVars.DYNAMIC_PARTITIONING_MODE, "nonstrict");
      List<Explanation> both = new ArrayList<>();
      both.addAll(compile("INSERT INTO TABLE " + text + " SELECT * FROM " + text, session));
      both.addAll(compile("INSERT OVERWRITE TABLE " + text + " SELECT * FROM " + text, session));
      return both;
    } finally {
      delete(scratch);
    }
  }

  private HiveConf withScratchIn(java.nio.file.Path scratch) {
    HiveConf session = new HiveConf(conf);
    session.setVar(ConfVars.SCRATCH_DIR, scratch.resolve("scratch").toUri().toString());
    session.setVar(ConfVars.LOCAL_SCRATCH_DIR, scratch.resolve("local").toString());
    session.setVar(ConfVars.DOWNLOADED_RESOURCES_DIR, scratch.resolve("resources").toString());
    // The plan is judged as the hook would find it.
    session.setVar(
        ConfVars.SEMANTIC_ANALYZER_HOOK,
        analyzerHooks().filter(hook -> !isOurs(hook)).collect(Collectors.joining(",")));
    return session;
  }

  private Stream<String> analyzerHooks() {
    return Arrays.stream(conf.getVar(ConfVars.SEMANTIC_ANALYZER_HOOK).split(","));
  }

  private static boolean isOurs(String hook) {
    return hook.trim().equals(ZeroRenameHook.class.getName());
  }

  private List<Explanation> compile(String statement, HiveConf settings)
      throws ExplainFailedException, IOException {
    SessionState session = new SessionState(settings);
    // Otherwise it would start an application master for Tez.
    session.setIsHiveServerQuery(true);
    session.out = new SessionStream(OutputStream.nullOutputStream());
    session.err = session.out;
    session.info = session.out;
    try {
      SessionState.start(session);
      return judge(statement, settings);
    } catch (RuntimeException | HiveException | TException | ExplainFailedException e) {
      throw MetastoreAccess.failure(e);
    } finally {
      session.deleteTmpOutputFile();
      session.deleteTmpErrOutputFile();
      session.close();
    }
  }

  private List<Explanation> judge(String text, HiveConf settings)
      throws ExplainFailedException, HiveException, TException, IOException {
    ASTNode tree = parse(text, settings);
    Statement statement = Statement.of(tree);
    if (Statement.isExplain(tree)) {
      throw new ExplainFailedException(
          "ZR-5104: give the statement itself, without EXPLAIN.", null);
    }
    IDriver driver = DriverFactory.newDriver(settings);
    try {
      driver.compileAndRespond("EXPLAIN " + text);
      ExplainWork work = (ExplainWork) driver.getPlan().getRootTasks().get(0).getWork();
      return verdicts(text, statement, work.getRootTasks());
    } catch (CommandProcessorException e) {
      throw new ExplainFailedException(MetastoreAccess.oneLine(e), e);
    } finally {
      driver.close();
      driver.destroy();
    }
  }

  private static ASTNode parse(String text, HiveConf settings)
      throws ExplainFailedException, IOException {
    Context context = new Context(settings);
    try {
      return ParseUtils.parse(text, context);
    } catch (ParseException e) {
      throw new ExplainFailedException(MetastoreAccess.oneLine(e), e);
    } finally {
      context.clear();
    }
  }

  private List<Explanation> verdicts(String text, Statement statement, List<Task<?>> tasks)
      throws HiveException, TException, IOException {
    PlanReader plan = new PlanReader(statement, tasks, conf, Hive.get(conf));
    if (plan.outputs().isEmpty()) {
      return List.of(
          new Explanation(
              text,
              Explanation.Verdict.NOT_APPLICABLE,
              "",
              "",
              "it writes no files to a table or directory on S3A, so the committer has nothing to do"
                  + " with it",
              Optional.empty()));
    }
    List<Explanation> verdicts = new ArrayList<>();
    for (PlannedOutput output : plan.outputs()) {
      verdicts.add(verdict(text, statement, plan, output));
    }
    return verdicts;
  }

  private Explanation verdict(
      String text, Statement statement, PlanReader plan, PlannedOutput output)
      throws HiveException, TException, IOException {
    String target = plan.name(output);
    if (analyzerHooks().noneMatch(StatementExplainer::isOurs)) {
      return new Explanation(
          text,
          Explanation.Verdict.HIVE,
          target,
          Explanation.NOT_INSTALLED,
          "hive.semantic.analyzer.hook does not name %s; add it"
              .formatted(ZeroRenameHook.class.getName()),
          Optional.of(ConfVars.SEMANTIC_ANALYZER_HOOK.varname));
    }
    try {
      new Eligibility(statement, plan, output, conf, Hive.get(conf)).check();
    } catch (NotEligible e) {
      Fallback fallback = e.fallback();
      return new Explanation(
          text,
          Explanation.Verdict.HIVE,
          target,
          fallback.reason().name(),
          fallback.sentence()
              + (FailInsteadOfFallback.fails(statement, output, fallback, conf)
                  ? FailInsteadOfFallback.outlook(fallback, output.bucket(), conf)
                  : ""),
          fallback.setting());
    }
    return new Explanation(
        text,
        Explanation.Verdict.COMMITTER,
        target,
        "",
        "it is committed without renames",
        Optional.empty());
  }

  private static void delete(java.nio.file.Path directory) throws IOException {
    if (!FileUtil.fullyDelete(directory.toFile())) {
      throw new IOException("ZR-5105: Cannot delete the temporary directory " + directory);
    }
  }
}
