package io.zerorename.cli.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.hive.ExplainFailedException;
import io.zerorename.hive.Explanation;
import io.zerorename.hive.StatementExplainer;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code zerorename explain}. It needs Hive on the class path; no field or method may have a type
 * that does, because picocli inspects them.
 */
@Command(
    name = "explain",
    description = {
      "Prints whether a statement of Hive would be committed without renames, and if not, why."
          + " Hive compiles it, and nothing is run. For a table it explains INSERT INTO and INSERT"
          + " OVERWRITE.",
      "",
      "Exit code 1 means that Hive's own path would be used.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  zerorename explain db.table",
      "  zerorename explain \"INSERT OVERWRITE TABLE db.table SELECT * FROM db.source\"",
      "  zerorename explain --conf-dir /etc/hive/conf -D hive.merge.tezfiles=false db.table"
    })
public final class ExplainCommand implements Subcommand {
  private static final String HIVE = "org/apache/hadoop/hive/ql/IDriver.class";

  @Parameters(
      paramLabel = "<SQL or table>",
      description = "One statement, in quotes, or the name of a table.")
  private String statement;

  /** For the command line. */
  public ExplainCommand() {}

  @Override
  public ExitCode run(Session session) throws IOException {
    if (!isHiveThere(session.conf())) {
      throw new InputException(
          "ZR-9402: Hive is not on the class path, and only Hive can compile a statement; run this where"
              + " Hive's client is installed, with HIVE_HOME set");
    }
    try {
      return print(new StatementExplainer(session.conf()).explain(statement), session.output());
    } catch (ExplainFailedException e) {
      throw new InputException("ZR-9401: Cannot explain '" + statement + "': " + e.getMessage(), e);
    } catch (NoClassDefFoundError e) {
      throw lacks(e);
    }
  }

  private static ExitCode print(List<Explanation> explanations, Output output) {
    ArrayNode nodes = output.json().putArray("statements");
    ExitCode code = ExitCode.OK;
    for (Explanation explanation : explanations) {
      nodes
          .addObject()
          .put("statement", explanation.statement())
          .put("verdict", Output.word(explanation.verdict()))
          .put("target", explanation.target())
          .put("reason", explanation.reason())
          .put("text", explanation.text())
          .put("setting", explanation.setting().orElse(null));
      output.line(explanation.statement());
      output.line("  " + line(explanation));
      explanation.setting().ifPresent(it -> output.line("  setting: " + it));
      if (explanation.verdict() == Explanation.Verdict.HIVE) {
        code = ExitCode.FOUND;
      }
    }
    return code;
  }

  private static String line(Explanation explanation) {
    return switch (explanation.verdict()) {
      case COMMITTER -> "committer: %s (%s)".formatted(explanation.text(), explanation.target());
      case HIVE ->
          "Hive's own rename path: %s, %s (%s)"
              .formatted(explanation.reason(), explanation.text(), explanation.target());
      case NOT_APPLICABLE -> "not applicable: " + explanation.text();
    };
  }

  static boolean isHiveThere(Configuration conf) {
    return conf.getClassLoader().getResource(HIVE) != null;
  }

  static InputException lacks(NoClassDefFoundError e) {
    return new InputException(
        "ZR-9403: a class that Hive needs is not on the class path: " + e.getMessage(), e);
  }
}
