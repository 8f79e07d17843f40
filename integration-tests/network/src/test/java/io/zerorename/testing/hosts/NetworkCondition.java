package io.zerorename.testing.hosts;

import io.zerorename.testing.network.Network;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips tests where this machine cannot have hosts of its own. */
final class NetworkCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return context.getTestMethod().isPresent()
        ? ConditionEvaluationResult.enabled("its class is")
        : Network.reasonAgainst()
            .map(ConditionEvaluationResult::disabled)
            .orElseGet(() -> ConditionEvaluationResult.enabled("there can be hosts"));
  }
}
