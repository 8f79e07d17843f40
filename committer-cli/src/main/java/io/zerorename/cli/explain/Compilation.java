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
 * Lets Hive compile a statement, and prints the verdict. Loaded only if Hive is on the class path:
 * the command itself names none of these classes, because picocli inspects its members.
 */
record Compilation(Session session) {
  Compilation {
    requireNonNull(session, "session");
  }

  ExitCode run(String statement) throws IOException {
    try {
      return print(new StatementExplainer(session.conf()).explain(statement));
    } catch (ExplainFailedException e) {
      throw new InputException("ZR-9401: Cannot explain '" + statement + "': " + e.getMessage(), e);
    }
  }

  private ExitCode print(List<Explanation> explanations) {
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
      node.put("setting", explanation.setting().orElse(null));
      session.output().line(explanation.statement());
      session.output().line("  " + line(explanation));
      explanation.setting().ifPresent(it -> session.output().line("  setting: " + it));
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
}
