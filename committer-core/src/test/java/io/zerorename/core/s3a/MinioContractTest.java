package io.zerorename.core.s3a;

import io.zerorename.testing.StoreDifference;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The contract on MinIO. */
@EnabledIf(value = "dockerEngineAnswers", disabledReason = ContainerContract.WITHOUT_DOCKER)
class MinioContractTest extends ContainerContract {
  private static final int PORT = 9000;

  @BeforeAll
  static void start() {
    start(
        new GenericContainer<>(
                DockerImageName.parse("quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z"))
            .withCommand("server", "/data")
            .withEnv("MINIO_ROOT_USER", ACCESS_KEY)
            .withEnv("MINIO_ROOT_PASSWORD", SECRET_KEY)
            .waitingFor(Wait.forHttp("/minio/health/ready").forPort(PORT)),
        PORT);
  }

  @Override
  protected Set<StoreDifference> differences() {
    return Set.of(StoreDifference.LISTS_UPLOADS_BY_EXACT_KEY);
  }
}
