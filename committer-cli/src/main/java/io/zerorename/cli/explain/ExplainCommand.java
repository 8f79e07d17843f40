package io.zerorename.cli.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.ExitCode;
import io.zerorename.cli.InputException;
import io.zerorename.cli.Session;
import io.zerorename.cli.Subcommand;
import io.zerorename.hive.ExplainFailedException;
import io.zerorename.hive.Explanation;
import io.zerorename.hive.StatementExplainer;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code zerorename explain}. It needs Hive on the class path; no other command does. */
@Command(
    name = "explain",
    description = {
      "Tells whether a statement of Hive's would be committed without renames, and if not, why."
          + " Hive compiles it, and nothing is run. For a table it tells of INSERT INTO and INSERT"
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
    if (session.conf().getClassLoader().getResource(HIVE) == null) {
      throw new InputException(
          "Hive is not on the class path, and only Hive can compile a statement; run this where"
              + " Hive's client is installed, with HIVE_HOME set");
    }
    try {
      return tell(new Compilation(session.conf()).run(statement), session);
    } catch (NoClassDefFoundError e) {
      throw new InputException(
          "a class that Hive needs is not on the class path: " + e.getMessage(), e);
    }
  }

  /** Loaded only where Hive is. */
  private record Compilation(Configuration conf) {
    List<Explanation> run(String statement) throws IOException {
      try {
        return new StatementExplainer(conf).explain(statement);
      } catch (ExplainFailedException e) {
        throw new InputException("Cannot explain '" + statement + "': " + e.getMessage(), e);
      }
    }
  }

  private static ExitCode tell(List<Explanation> explanations, Session session) {
    ArrayNode nodes = session.output().json().putArray("statements");
    ExitCode code = ExitCode.OK;
    for (Explanation explanation : explanations) {
      String verdict = explanation.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-');
      ObjectNode node = nodes.addObject();
      node.put("statement", explanation.statement());
      node.put("verdict", verdict);
      node.put("target", explanation.target());
      node.put("reason", explanation.reason());
      node.put("text", explanation.text());
      session.output().line(explanation.statement());
      session.output().line("  " + line(explanation));
      if (explanation.verdict() == Explanation.Verdict.HIVE) {
        code = ExitCode.FOUND;
      }
    }
    return code;
  }

  private static String line(Explanation explanation) {
    return switch (explanation.verdict()) {
      case COMMITTER -> "committer: " + explanation.text() + " (" + explanation.target() + ")";
      case HIVE ->
          "Hive's own rename path: "
              + explanation.reason()
              + ", "
              + explanation.text()
              + " ("
              + explanation.target()
              + ")";
      case NOT_CONCERNED -> "not concerned: " + explanation.text();
    };
  }
}
