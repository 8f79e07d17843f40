package io.zerorename.cli.explain;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.Session;
import io.zerorename.hive.ExplainFailedException;
import io.zerorename.hive.Explanation;
import io.zerorename.hive.StatementExplainer;
import java.io.IOException;
import java.util.List;

/**
 * Has Hive compile a statement, and tells what comes of it. Loaded only where Hive is: the command
 * itself names none of these classes, because the library for the options looks at its members.
 */
final class Compilation {
  private final Session session;

  Compilation(Session session) {
    this.session = requireNonNull(session, "session");
  }

  ExitCode run(String statement) throws IOException {
    try {
      return tell(new StatementExplainer(session.conf()).explain(statement));
    } catch (ExplainFailedException e) {
      throw new InputException("Cannot explain '" + statement + "': " + e.getMessage(), e);
    }
  }

  private ExitCode tell(List<Explanation> explanations) {
    ArrayNode nodes = session.output().json().putArray("statements");
    ExitCode code = ExitCode.OK;
    for (Explanation explanation : explanations) {
      String verdict = Output.word(explanation.verdict());
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
