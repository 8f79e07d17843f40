package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Test;

class GroupedListingTest {
  private static final Path TABLE = new Path("s3a://bucket/wh/t");

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private final Workers workers = new Workers(4, 512);
  private final Set<String> prefixes = new ConcurrentSkipListSet<>();

  @Test
  void aFewOfManyAreListedOneByOneAfterOneLook() throws IOException {
    plant(1_000, 3);
    assertThat(visited(List.of(partition(0), partition(500), partition(999)))).hasSize(9);
    assertThat(store.requests()).containsEntry(RequestType.LIST, 1L + 3);
  }

  @Test
  void directoriesOfDifferentRootsAreNotListedTogether() throws IOException {
    List<Path> roots = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      roots.add(new Path("s3a://bucket/wh/" + name));
      store.plant("wh/" + name + "/file", new byte[0]);
    }
    assertThat(visited(roots, roots)).hasSize(3);
    assertThat(prefixes).containsExactly("wh/a/", "wh/b/", "wh/c/");
  }

  @Test
  void whereOnlyThePartitionsMayBeListedEachIs() throws IOException {
    plant(5, 2);
    store.faults().fail(RequestType.LIST, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(visited(partitions(5))).hasSize(10);
    assertThat(store.requests()).containsEntry(RequestType.LIST, 1L + 5);
  }

  @Test
  void aPrefixDoesNotEndInTheMidstOfACharacter() throws IOException {
    // The two halves of the first character are those of the second but for the last.
    List<Path> directories =
        List.of(
            new Path(TABLE, "p=\uD83D\uDE00"),
            new Path(TABLE, "p=\uD83D\uDE01"),
            new Path(TABLE, "p=\uD83D\uDE02"));
    for (Path directory : directories) {
      store.plant(ObjectKeys.prefixOf(directory) + "file", new byte[0]);
    }
    assertThat(visited(directories)).hasSize(3);
    assertThat(prefixes).containsExactly("wh/t/");
  }

  @Test
  void whateverIsThereTheSameIsVisitedAsByListingEach() throws IOException {
    int objects = 0;
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      InMemoryObjectStore some = new InMemoryObjectStore("bucket");
      for (String beside : List.of("wh/t/p=001x/f", "wh/t/p=00", "wh/t2/p=001/f", "wh/t/f")) {
        some.plant(beside, new byte[0]);
      }
      int directories = 1 + random.nextInt(120);
      int most = random.nextInt(4) == 0 ? 120 : 12;
      for (int i = 0; i < directories; i++) {
        for (int file = random.nextInt(most); file > 0; file--) {
          some.plant("wh/t/p=%03d/%d".formatted(i, file), new byte[0]);
        }
      }
      List<Path> replaced = new ArrayList<>(partitions(directories));
      replaced.removeIf(directory -> random.nextInt(3) == 0);
      Set<String> expected = new TreeSet<>();
      for (Path directory : replaced) {
        RemoteIterators.foreach(
            some.listObjects(ObjectKeys.prefixOf(directory)),
            object -> expected.add(name(directory, object)));
      }
      List<String> visited = Collections.synchronizedList(new ArrayList<>());
      new GroupedListing(
              path -> watched(some),
              List.of(TABLE),
              (directory, object) -> visited.add(name(directory, object)))
          .visit(replaced, workers);
      assertThat(visited).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
      objects += expected.size();
    }
    assertThat(objects).as("objects in all directories").isGreaterThan(40_000);
  }

  private void plant(int partitions, int files) {
    for (Path partition : partitions(partitions)) {
      for (int file = 0; file < files; file++) {
        store.plant(ObjectKeys.prefixOf(partition) + file, new byte[0]);
      }
    }
    store.resetCounts();
  }

  private static List<Path> partitions(int count) {
    return IntStream.range(0, count).mapToObj(GroupedListingTest::partition).toList();
  }

  private static Path partition(int number) {
    return new Path(TABLE, "p=%03d".formatted(number));
  }

  private List<String> visited(List<Path> directories) throws IOException {
    return visited(directories, List.of(TABLE));
  }

  private List<String> visited(List<Path> directories, List<Path> roots) throws IOException {
    ObjectStores stores = path -> watched(store);
    List<String> visited = Collections.synchronizedList(new ArrayList<>());
    new GroupedListing(stores, roots, (directory, object) -> visited.add(name(directory, object)))
        .visit(directories, workers);
    return visited.stream().sorted().toList();
  }

  private static String name(Path directory, ObjectSummary object) {
    return directory.getName() + ": " + object.key();
  }

  /** Notes the prefixes of listings. */
  private ObjectStore watched(ObjectStore store) {
    return new ForwardingStore(store) {
      @Override
      public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
        prefixes.add(prefix);
        return super.listObjects(prefix);
      }
    };
  }
}
