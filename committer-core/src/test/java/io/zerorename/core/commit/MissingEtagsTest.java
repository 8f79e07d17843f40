package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.testing.ForwardingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

/** A store that lists objects without their ETags. */
class MissingEtagsTest extends TimedCommits {
  private static final String OLD = T + "day=1/old";

  @BeforeEach
  void plant() throws IOException {
    store.plant(OLD, new byte[1]);
    store.pass(Duration.ofMinutes(1));
    job.task("a", "day=1/0");
  }

  @ParameterizedTest
  @NullAndEmptySource
  void anOverwriteRefusesThemBeforeItsDecision(String etag) throws IOException {
    assertThatThrownBy(() -> commit(etag, Overwrite.directoriesOfFiles()))
        .hasStackTraceContaining("ZR-1133: The store lists s3a://bucket/" + OLD);

    assertThat(job.log().tail().highest()).isZero();
    assertThat(data()).containsExactly(OLD);
  }

  @ParameterizedTest
  @NullAndEmptySource
  void anInsertDoesNotNeedThem(String etag) throws IOException {
    commit(etag, Overwrite.none());

    assertThat(data()).containsExactly(job.key("day=1/0"), OLD);
  }

  @ParameterizedTest
  @NullAndEmptySource
  void whatHadOneWhenItWasPlannedStays(String etag) throws IOException {
    ObjectSummary listed = store.listObjects(OLD).next();
    OldObject planned =
        new OldObject(new Path("s3a://bucket/"), OLD, listed.etag(), listed.lastModified());

    Workers workers = new Workers(1, 512);
    new DeleteReplaced(path -> without(etag), workers)
        .run(RemoteIterators.remoteIteratorFromSingleton(List.of(planned)), () -> false);

    assertThat(data()).containsExactly(OLD);
  }

  private void commit(String etag, Overwrite overwrite) throws IOException {
    job.through(path -> without(etag)).sleeping(this::pass).commit(overwrite);
  }

  private ObjectStore without(String etag) {
    return new ForwardingStore(store) {
      @Override
      public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
        return RemoteIterators.mappingRemoteIterator(
            super.listObjects(prefix),
            it -> new ObjectSummary(it.key(), it.size(), etag, it.lastModified()));
      }
    };
  }
}
