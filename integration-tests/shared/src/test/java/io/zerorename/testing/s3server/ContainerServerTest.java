package io.zerorename.testing.s3server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;

class ContainerServerTest {
  private static final String SELECTED = "zerorename.test.server";

  private final String before = System.getProperty(SELECTED, "");

  @AfterEach
  void selectAsBefore() {
    System.setProperty(SELECTED, before);
  }

  @Test
  void withoutAnEngineTestsAreSkippedAndSayWhy() {
    assumeFalse(
        Files.exists(Path.of("/var/run/docker.sock")) || System.getenv("DOCKER_HOST") != null,
        "there may be a Docker engine");
    System.setProperty(SELECTED, "docker:minio/minio:latest");
    ConditionEvaluationResult result = new ServerCondition().evaluateExecutionCondition(null);
    assertThat(result.isDisabled()).isTrue();
    assertThat(result.getReason())
        .contains(
            "NOT TESTED, minio/minio:latest: Testcontainers finds no Docker engine on this host");
  }

  @Test
  void aServerIsKnownByTheNameOfItsImage() {
    System.setProperty(SELECTED, "docker:quay.io/ceph/demo:latest-squid");
    assertThat(OtherServer.selected())
        .contains(new ContainerServer("quay.io/ceph/demo:latest-squid", ContainerServer.Kind.CEPH));
    assertThat(ContainerServer.of("localstack/localstack").kind())
        .isEqualTo(ContainerServer.Kind.LOCALSTACK);
    assertThatThrownBy(() -> ContainerServer.of("adobe/s3mock"))
        .hasMessage(
            "it is not known how a container of adobe/s3mock is started, only those of images whose"
                + " names have one of [minio, ceph, localstack]");
  }
}
