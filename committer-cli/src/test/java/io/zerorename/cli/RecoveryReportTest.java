package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recovery.Recovered;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kinds of results that {@code zerorename recover} prints. */
class RecoveryReportTest {
  @Test
  void eachResultOfARecoveryHasOneKind() {
    Stream<Class<?>> results =
        Stream.of(Recovered.class, Recovered.OfEntry.class)
            .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
            .filter(type -> !type.isInterface())
            // The command leaves no commit to its own process.
            .filter(type -> type != Recovered.UnderWay.class);
    assertThat(Stream.of(RecoveryReport.Kind.values()).<Class<?>>map(kind -> kind.type))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(results.toList());
  }
}
