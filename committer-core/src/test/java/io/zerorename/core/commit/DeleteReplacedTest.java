package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The deletion of old objects, right after they were listed and later. */
class DeleteReplacedTest {
  private static final Path BUCKET = new Path("s3a://bucket/");

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private Workers workers;

  @BeforeEach
  void begin() {
    workers = new Workers(4);
  }

  @AfterEach
  void end() {
    workers.close();
  }

  @Test
  void aLargeDirectoryIsListedOnceHoweverManyDocumentsThePlanHas() throws IOException {
    plant("t/", 6_000, "old");
    List<OldObject> old = planned("t/");
    // Between the old ones, as the names of tasks are.
    plant("t/", 6_000, "new");
    store.resetCounts();
    delete(List.of(old.subList(0, 2_500), old.subList(2_500, 5_000), old.subList(5_000, 6_000)));
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.LIST, 12L, RequestType.BULK_DELETE, 6L));
    assertThat(store.keys()).hasSize(6_000).allMatch(key -> key.endsWith("new"));
  }

  @Test
  void nothingIsListedWhileThePlanIsFresh() throws IOException {
    plant("t/", 1_500, "old");
    List<OldObject> old = planned("t/");
    store.resetCounts();
    new DeleteReplaced(store)
        .run(RemoteIterators.remoteIteratorFromSingleton(old), List.of(), () -> true, workers);
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.BULK_DELETE, 2L));
    assertThat(store.keys()).isEmpty();
  }

  @Test
  void whatHasChangedMeanwhileStays() throws IOException {
    plant("t/", 3, "old");
    plant("t/below/", 2, "old");
    List<OldObject> old = planned("t/");
    store.plant("t/0000000_old", "of somebody else".getBytes(UTF_8));
    store.deleteObjects(List.of("t/0000001_old"));
    store.plant("t/below/other", new byte[1]);
    delete(List.of(old));
    assertThat(store.keys()).containsExactly("t/0000000_old", "t/below/other");
  }

  @Test
  void whatTheStoreWasTooBusyToDeleteIsLookedAtAgain() throws IOException {
    plant("t/", 3, "old");
    List<OldObject> old = planned("t/");
    store.faults().fail(RequestType.BULK_DELETE, 1, Moment.BEFORE_EFFECT, Kind.THROTTLED);
    store.resetCounts();
    new DeleteReplaced(store)
        .run(RemoteIterators.remoteIteratorFromSingleton(old), List.of(), () -> true, workers);
    assertThat(store.requests())
        .isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.BULK_DELETE, 2L));
    assertThat(store.keys()).isEmpty();
  }

  private void delete(List<List<OldObject>> parts) throws IOException {
    new DeleteReplaced(store)
        .run(RemoteIterators.remoteIteratorFromIterable(parts), List.of(), () -> false, workers);
  }

  private void plant(String prefix, int count, String name) {
    for (int i = 0; i < count; i++) {
      store.plant(prefix + String.format("%07d_%s", i, name), new byte[1]);
    }
  }

  private List<OldObject> planned(String prefix) throws IOException {
    List<OldObject> planned = new ArrayList<>();
    RemoteIterators.foreach(store.listObjects(prefix), object -> planned.add(planned(object)));
    return planned;
  }

  private static OldObject planned(ObjectSummary object) {
    return new OldObject(BUCKET, object.key(), object.etag(), object.lastModified());
  }
}
