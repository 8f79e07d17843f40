package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.parallel.ProcessShare;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class ChunkCacheTest {
  private static final int KIBIBYTE = 1024;

  private final ProcessShare memory = new ProcessShare(250 * KIBIBYTE);

  @Test
  void keepsTheFirstAndWhatFitsTogetherWithOtherPlans() {
    ChunkCache plan = new ChunkCache(memory);
    ChunkCache other = new ChunkCache(memory);
    plan.offer(1, markers(100));
    other.offer(1, markers(100));
    plan.offer(2, markers(100));
    plan.offer(3, markers(50));
    plan.offer(0, markers(300));
    assertThat(IntStream.range(0, 9).filter(i -> plan.get(i).isPresent())).containsExactly(0, 1, 3);
    assertThat(plan.all()).hasSize(3);
    assertThat(other.get(1)).isPresent();
  }

  @Test
  void aPlanThatCameToItsEndLeavesItsRoomAtOnce() {
    ChunkCache plan = new ChunkCache(memory);
    plan.offer(9, markers(200));
    plan.release();
    ChunkCache next = new ChunkCache(memory);
    next.offer(9, markers(250));
    assertThat(next.get(9)).isPresent();
    assertThat(plan.get(9)).as("whoever still has it can use it").isPresent();
  }

  @Test
  void aPlanThatNobodyUsesAnyMoreLeavesItsRoom() {
    keepAndForget();
    ChunkCache next = new ChunkCache(memory);
    System.gc();
    next.offer(9, markers(250));
    assertThat(next.get(9)).isPresent();
  }

  private void keepAndForget() {
    ChunkCache plan = new ChunkCache(memory);
    plan.offer(9, markers(200));
    assertThat(plan.get(9)).isPresent();
  }

  private static PlanChunk markers(int count) {
    OutputJob job =
        new OutputJob(
            "job",
            "a job",
            new Path("s3a://bucket/t"),
            List.of(new Path("s3a://bucket/t")),
            false,
            Optional.empty(),
            Map.of());
    return new PlanChunk(
        job,
        List.of(),
        List.of(),
        IntStream.range(0, count).mapToObj(i -> new Path("s3a://bucket/t/" + i)).toList());
  }
}
