package io.zerorename.core.log;

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
  void keepsTheFirstAndWhatFitsTogetherWithOtherPlans() {
    KeptParts plan = new KeptParts(memory);
    KeptParts other = new KeptParts(memory);
    plan.offer(3, markers(100));
    other.offer(3, markers(100));
    plan.offer(4, markers(100));
    plan.offer(5, markers(50));
    plan.offer(2, markers(300));
    assertThat(IntStream.range(0, 9).filter(i -> plan.get(i).isPresent())).containsExactly(2, 3, 5);
    assertThat(plan.all()).hasSize(3);
    assertThat(other.get(3)).isPresent();
  }

  @Test
  void aPlanThatCameToItsEndLeavesItsRoomAtOnce() {
    KeptParts plan = new KeptParts(memory);
    plan.offer(9, markers(200));
    plan.release();
    KeptParts next = new KeptParts(memory);
    next.offer(9, markers(250));
    assertThat(next.get(9)).isPresent();
    assertThat(plan.get(9)).as("whoever still has it can use it").isPresent();
  }

  @Test
  void aPlanThatNobodyUsesAnyMoreLeavesItsRoom() {
    keepAndForget();
    KeptParts next = new KeptParts(memory);
    System.gc();
    next.offer(9, markers(250));
    assertThat(next.get(9)).isPresent();
  }

  private void keepAndForget() {
    KeptParts plan = new KeptParts(memory);
    plan.offer(9, markers(200));
    assertThat(plan.get(9)).isPresent();
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
