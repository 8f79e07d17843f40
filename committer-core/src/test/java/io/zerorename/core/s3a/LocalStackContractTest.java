package io.zerorename.core.s3a;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The contract on LocalStack. */
@EnabledIf(value = "dockerEngineAnswers", disabledReason = ContainerContract.WITHOUT_DOCKER)
class LocalStackContractTest extends ContainerContract {
  private static final int PORT = 4566;

  @BeforeAll
  static void start() {
    start(
        new GenericContainer<>(DockerImageName.parse("localstack/localstack:4.14.0"))
            .withEnv("SERVICES", "s3")
            .waitingFor(Wait.forHttp("/_localstack/health").forPort(PORT)),
        PORT);
  }
}
