package io.zerorename.spark;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.plans.logical.DropTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.DropTableCommand;
import org.apache.spark.sql.execution.command.ExecutedCommandExec;
import org.apache.spark.sql.execution.command.ExternalCommandExecutor;
import org.apache.spark.sql.execution.command.RunnableCommand;
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;

/** Plans a statement that changes files of tables on S3 without the commit protocol. */
record BypassingPlan(SparkSession session) {
  /** Empty where it changes none. */
  Optional<SparkPlan> of(LogicalPlan statement) throws IOException {
    LogicalPlan plan = statement instanceof DropTable drop ? ofSessionCatalog(drop) : statement;
    return plan instanceof RunnableCommand || plan instanceof DropTable
        ? AffectedTable.of(plan, session).map(table -> planned(plan, table))
        : Optional.empty();
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
  private record Watched(LogicalPlan command, AffectedTable table, SparkSession session)
      implements ExternalCommandRunner {
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
