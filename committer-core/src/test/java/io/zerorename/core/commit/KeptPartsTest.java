package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class KeptPartsTest {
  private static final int KIBIBYTE = 1024;

  private final KeptParts.Memory memory = new KeptParts.Memory(250 * KIBIBYTE);

  @Test
  void keepsWhatFitsTogetherWithOtherPlans() {
    KeptParts plan = new KeptParts(memory);
    KeptParts other = new KeptParts(memory);
    plan.offer(0, markers(100));
    other.offer(0, markers(100));
    plan.offer(1, markers(100));
    plan.offer(2, markers(50));
    assertThat(IntStream.range(0, 4).filter(i -> plan.get(i).isPresent())).containsExactly(0, 2);
    assertThat(plan.all()).hasSize(2);
    assertThat(other.get(0)).isPresent();
  }

  @Test
  void aPlanThatIsOverLeavesItsRoom() {
    keepAndForget();
    KeptParts next = new KeptParts(memory);
    System.gc();
    next.offer(0, markers(250));
    assertThat(next.get(0)).isPresent();
  }

  private void keepAndForget() {
    KeptParts plan = new KeptParts(memory);
    plan.offer(0, markers(200));
    assertThat(plan.get(0)).isPresent();
  }

  private static PlanPart markers(int count) {
    OutputJob job =
        new OutputJob(
            "job",
            "a job",
            new Path("s3a://bucket/t"),
            List.of(new Path("s3a://bucket/t")),
            false,
            Optional.empty(),
            Map.of());
    return new PlanPart(
        job,
        List.of(),
        List.of(),
        List.of(),
        IntStream.range(0, count).mapToObj(i -> new Path("s3a://bucket/t/" + i)).toList());
  }
}
