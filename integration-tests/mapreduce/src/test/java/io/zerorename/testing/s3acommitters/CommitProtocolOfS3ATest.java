package io.zerorename.testing.s3acommitters;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/** Runs {@link CommitProtocolOfS3A}, which is for JUnit 4. */
@Tag("thorough")
class CommitProtocolOfS3ATest {
  private static EmbeddedS3Server server;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(CommitProtocolOfS3A.BUCKET);
    CommitProtocolOfS3A.use(server);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void passes(String method) {
    Result result = new JUnitCore().run(Request.method(CommitProtocolOfS3A.class, method));
    assertThat(result.getFailures()).extracting(Failure::getTrace).isEmpty();
    assertThat(result.getRunCount()).isEqualTo(1);
    assertThat(result.getIgnoreCount()).isZero();
    assertThat(result.getAssumptionFailureCount()).isZero();
  }

  /** All but one, for which the server would have to keep storage classes. */
  static List<String> methods() {
    return Stream.of(CommitProtocolOfS3A.class.getMethods())
        .filter(method -> method.isAnnotationPresent(org.junit.Test.class))
        .map(Method::getName)
        .filter(name -> !name.equals("testCommitWithStorageClassConfig"))
        .sorted()
        .toList();
  }
}
