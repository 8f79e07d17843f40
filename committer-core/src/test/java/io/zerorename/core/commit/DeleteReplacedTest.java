package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.RetriedStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The deletion of old objects, right after they were listed and later. */
class DeleteReplacedTest {
  private static final Path BUCKET = new Path("s3a://bucket/");

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private Workers workers;

  @BeforeEach
  void begin() {
    workers = new Workers(4, 512);
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
  void anObjectThatCannotBeDeletedForLongIsNamed() throws IOException {
    plant("t/", 3, "old");
    List<OldObject> old = planned("t/");
    Refusal busy = new Refusal("SlowDown: Please", true);
    store.faults().keep("t/0000001_old", Integer.MAX_VALUE, busy);
    assertThatThrownBy(
            () ->
                new DeleteReplaced(new RetriedStores(store), workers)
                    .run(RemoteIterators.remoteIteratorFromSingleton(old), () -> true))
        .hasMessageContaining("ZR-1114: 1 replaced objects of bucket bucket could not be deleted")
        .hasMessageContaining("t/0000001_old: SlowDown: Please");
    assertThat(store.keys()).containsExactly("t/0000001_old");
  }

  /** However often that is, as long as some are gone each time. */
  @Test
  void aStoreThatDeletesFewAtATimeIsAskedAgain() throws IOException {
    plant("t/", 20, "old");
    List<OldObject> old = planned("t/");
    ObjectStore slow =
        new ForwardingStore(store) {
          @Override
          public Map<String, Refusal> deleteObjects(
              Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
            List<String> all = List.copyOf(keys);
            int now = fresh.apply() ? Math.min(2, all.size()) : 0;
            super.deleteObjects(all.subList(0, now), fresh);
            return all.subList(now, all.size()).stream()
                .collect(Collectors.toMap(key -> key, key -> Refusal.LATE));
          }
        };
    new DeleteReplaced(path -> slow, workers)
        .run(RemoteIterators.remoteIteratorFromSingleton(old), () -> false);
    assertThat(store.keys()).isEmpty();
  }

  private void delete(List<List<OldObject>> parts) throws IOException {
    new DeleteReplaced(store, workers)
        .run(RemoteIterators.remoteIteratorFromIterable(parts), () -> false);
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
