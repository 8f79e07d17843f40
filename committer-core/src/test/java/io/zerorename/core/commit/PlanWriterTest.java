package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanWriterTest {
  private static final Path TABLE = new Path("s3a://bucket/t");

  @ParameterizedTest
  @CsvSource({
    "0, 0 last",
    "4999, 4999 last",
    "5000, 5000 last",
    "5001, '5000, 1 last'",
    "10000, '5000, 5000 last'",
    "10001, '5000, 5000, 1 last'"
  })
  void theLastDocumentIsEmptyInAnEmptyPlanOnly(int entries, String documents) throws IOException {
    List<String> written = new ArrayList<>();
    PlanWriter writer =
        new PlanWriter(
            new OutputJob(
                "job", "INSERT", TABLE, List.of(TABLE), false, Optional.empty(), Map.of()),
            (proposal, number, last, part) -> {
              assertThat(number).isEqualTo(written.size());
              written.add(part.markers().size() + (last ? " last" : ""));
              return Plans.unwritten(proposal, number, last, part);
            });
    for (int i = 0; i < entries; i++) {
      writer.keep(new Path(TABLE, "p=" + i));
    }

    Proposal proposal = writer.propose();

    assertThat(String.join(", ", written)).isEqualTo(documents);
    assertThat(proposal.parts()).hasSameSizeAs(written);
  }

  @Test
  void aDocumentMayBeCountedBeforeAnEarlierOne() {
    OutputJob job =
        new OutputJob("job", "INSERT", TABLE, List.of(TABLE), false, Optional.empty(), Map.of());
    PlanTotals totals = new PlanTotals();
    totals.add(2, Plans.part(job, List.of(), List.of(), List.of(TABLE)));
    totals.add(1, Plans.part(job, List.of(), List.of(), List.of()));
    totals.add(0, Plans.part(job, List.of(), List.of(), List.of(TABLE)));
    assertThat(totals.nextWith(PlanPart.Kind.MARKERS, 0)).isZero();
    assertThat(totals.nextWith(PlanPart.Kind.MARKERS, 1)).isEqualTo(2);
    assertThat(totals.nextWith(PlanPart.Kind.MARKERS, 3)).isNegative();
  }
}
