package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.plans.logical.DropTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.command.DropTableCommand;
import org.apache.spark.sql.execution.command.ExecutedCommandExec;
import org.apache.spark.sql.execution.command.ExternalCommandExecutor;
import org.apache.spark.sql.execution.command.RunnableCommand;
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Plans statements that change files of tables on S3 without the commit protocol, such as TRUNCATE
 * TABLE: Spark runs them as it does, and the commit log is looked at before and after. That is done
 * when the statement is executed, so that EXPLAIN does nothing, and what Spark's other extensions
 * refuse neither.
 */
final class BypassingStatements extends SparkStrategy {
  private static final Logger LOG = LoggerFactory.getLogger(BypassingStatements.class);

  private final SparkSession session;

  BypassingStatements(SparkSession session) {
    this.session = requireNonNull(session, "session");
  }

  /**
   * The return type is that of Scala 2.13; for 2.12 the compiler adds a method.
   *
   * @return empty where another strategy is to plan it
   */
  @Override
  @SuppressWarnings("IllegalCatch")
  public scala.collection.immutable.Seq<SparkPlan> apply(LogicalPlan statement) {
    LogicalPlan plan = statement;
    if (plan instanceof RunnableCommand || plan instanceof DropTable) {
      try {
        plan = plan instanceof DropTable drop ? ofSessionCatalog(drop) : plan;
        Optional<AffectedTable> table = AffectedTable.of(plan, session);
        if (table.isPresent()) {
          return EitherScala.seq(List.of(planned(plan, table.get())));
        }
      } catch (Exception | LinkageError e) {
        // Another Spark; or a metastore that fails, as it then does for Spark as well.
        LOG.warn(
            "zero-rename: ZR-7130: {} does not look into the commit log: Spark's plan of it could"
                + " not be changed. After an interrupted write, run zerorename recover before it",
            plan.nodeName(),
            e);
      }
    }
    return EitherScala.seq(List.of());
  }

  /** Of its own catalog's tables Spark plans this one statement as of any other catalog's. */
  private static LogicalPlan ofSessionCatalog(DropTable drop) {
    return drop.child() instanceof ResolvedIdentifier table
            && table.catalog() instanceof V2SessionCatalog
            && table.identifier().namespace().length == 1
        ? new DropTableCommand(
            new TableIdentifier(
                table.identifier().name(), Option.apply(table.identifier().namespace()[0])),
            drop.ifExists(),
            false,
            drop.purge())
        : drop;
  }

  private SparkPlan planned(LogicalPlan command, AffectedTable table) {
    return new ExecutedCommandExec(
        EitherScala.make(
            ExternalCommandExecutor.class,
            new Watched(command, table, session),
            table.description(),
            EitherScala.map(Map.of())));
  }

  /** Runs a command of Spark's. It is a class that Spark calls, and so no subclass of Spark's. */
  private static final class Watched implements ExternalCommandRunner {
    private final LogicalPlan command;
    private final AffectedTable table;
    private final SparkSession session;

    private Watched(LogicalPlan command, AffectedTable table, SparkSession session) {
      this.command = command;
      this.table = table;
      this.session = session;
    }

    @Override
    public String[] executeCommand(String description, CaseInsensitiveStringMap options) {
      try (BypassingStatement statement =
          new BypassingStatement(table, session.sessionState().newHadoopConf())) {
        statement.begin();
        EitherScala.call(command, "run", session);
        statement.end();
        // None of the commands has a result.
        return new String[0];
      } catch (IOException e) {
        throw Rethrow.unchecked(e);
      }
    }

    /** As EXPLAIN shows it. */
    @Override
    public String toString() {
      return "zero-rename[" + command.nodeName() + "]";
    }
  }
}
