package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.records.ObjectRecords;
import io.zerorename.core.records.RecordStore;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class CommitLogInBucketTest extends CommitLogContract {
  private static final Path DIRECTORY = new Path("s3a://bucket/_zerorename/t-1");

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");

  @Override
  CommitLog log() {
    return CommitLog.inBucket(store, DIRECTORY);
  }

  @Override
  RecordStore records() {
    return new ObjectRecords(store, DIRECTORY);
  }

  @Override
  void damage(String name, byte[] document) {
    store.plant(ObjectKeys.prefixOf(DIRECTORY) + name, document);
  }

  @Test
  void aCommitCostsTwoRequestsToDecideAndTwoToEnd() throws IOException {
    PlanPart plan =
        Plans.part(
            new OutputJob("job", "INSERT", List.of(new Path("s3a://bucket/t"))),
            List.of(),
            List.of(),
            List.of());
    Proposal proposal = Proposals.propose(log(), plan);
    log().commit("job", proposal, Optional.empty());
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.PUT, 2L));
    store.resetCounts();
    log().finish(new OpenCommit(Plans.of(plan), proposal.names()));
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.PUT, 1L, RequestType.BULK_DELETE, 1L));
    store.resetCounts();
    assertThat(log().open()).isEmpty();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
  }
}
