package io.zerorename.testing.s3server;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests where this host cannot have the selected server. JUnit finds it by {@code
 * META-INF/services} in builds that select one.
 */
public final class ServerCondition implements ExecutionCondition {
  /** For JUnit. */
  public ServerCondition() {}

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return OtherServer.selected()
        .flatMap(OtherServer::reasonAgainst)
        .map(ConditionEvaluationResult::disabled)
        .orElseGet(() -> ConditionEvaluationResult.enabled("the server can be started"));
  }
}
