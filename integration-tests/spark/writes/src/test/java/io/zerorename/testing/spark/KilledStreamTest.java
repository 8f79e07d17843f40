package io.zerorename.testing.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Drivers of streaming queries that are killed at a request of their checkpoint. */
@Tag("thorough")
final class KilledStreamTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int KILLS = 50;

  /** Each query sends more. */
  private static final int REQUESTS = 36;

  private static SparkOnS3 s3;
  private static Path input;

  @BeforeAll
  static void start() throws IOException {
    s3 =
        SparkOnS3.startWithCommitProtocol(
            SparkOnS3.LOCAL, Map.of("spark.sql.streaming.minBatchesToRetain", "2"));
    input = Sink.writeInput(s3.directory());
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void reset() {
    s3.reset();
  }

  static Stream<Arguments> oneKill() {
    return Stream.of(Arguments.of(Sink.COUNTS, kill(Side.AFTER, 17)));
  }

  static Stream<Arguments> kills() {
    return IntStream.range(0, KILLS)
        .mapToObj(
            number ->
                Arguments.of(
                    Sink.values()[number % Sink.values().length],
                    kill(
                        number / 3 % 2 == 0 ? Side.BEFORE : Side.AFTER,
                        1 + 11 * number % REQUESTS)));
  }

  private static Kill kill(Side side, int request) {
    return new Kill(side, Optional.empty(), "checkpoint/", request);
  }

  @ParameterizedTest
  @MethodSource("oneKill")
  void aQueryWhoseDriverWasKilledGoesOn(Sink sink, Kill kill) throws Exception {
    assertGoesOn(sink, kill);
  }

  @Tag(SparkOnS3.ONE_VERSION)
  @ParameterizedTest
  @MethodSource("kills")
  void whereverItWasKilled(Sink sink, Kill kill) throws Exception {
    assertGoesOn(sink, kill);
  }

  private static void assertGoesOn(Sink sink, Kill kill) throws Exception {
    try (ChildJvm driver = driver()) {
      s3.gateway().faults(kill.of(driver));
      driver.send(line(sink));
      driver.awaitEnd(PATIENCE);
      assertThat(driver.wasKilled()).as("killed %s; %s", kill, driver.lastOutput()).isTrue();
    } finally {
      s3.gateway().faults(FaultRule.NONE);
    }

    sink.run(s3.spark(), input.toUri().toString(), s3.s3a(""));

    assertThat(sink.rows(s3.spark(), s3.s3a(""))).isEqualTo(sink.expected());
    assertThat(s3.bucket().pendingUploads("checkpoint/")).isEmpty();
    assertThat(s3.requests().copies()).isZero();
  }

  /** One is held before its first batch until the other one has ended. */
  @Test
  void ofTwoDriversAtOneCheckpointOneFails() throws Exception {
    try (ChildJvm driver = driver()) {
      s3.gateway()
          .faults(
              request -> {
                if (request.key().equals("checkpoint/offsets/1")
                    && request.headers().containsKey("if-none-match")
                    && s3.bucket().files("checkpoint/offsets/1").isEmpty()) {
                  s3.gateway().faults(FaultRule.NONE);
                  runHere(Sink.FILES);
                }
                return Optional.empty();
              });
      driver.send(line(Sink.FILES));
      List<String> answer = driver.await(1, any -> true, PATIENCE);
      assertThat(answer)
          .last()
          .asString()
          .startsWith("failed: ")
          .contains("Multiple streaming queries are concurrently using");
    } finally {
      s3.gateway().faults(FaultRule.NONE);
    }
    assertThat(Sink.FILES.rows(s3.spark(), s3.s3a(""))).isEqualTo(Sink.FILES.expected());
  }

  private static void runHere(Sink sink) {
    try {
      sink.run(s3.spark(), input.toUri().toString(), s3.s3a(""));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String line(Sink sink) {
    return String.join("\t", sink.name(), input.toUri().toString(), s3.s3a(""));
  }

  private static ChildJvm driver() throws Exception {
    ChildJvm.Command command =
        ChildJvm.Command.of(StreamingProcess.class).withModulesOpen().withArguments(s3.settings());
    ChildJvm driver =
        ChildJvm.start(command, s3.directory().resolve("driver-" + System.nanoTime() + ".log"));
    driver.await(0, LineServer.READY::equals, PATIENCE);
    return driver;
  }
}
