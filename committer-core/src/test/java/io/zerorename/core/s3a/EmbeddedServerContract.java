package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PartBody;
import io.zerorename.testing.ObjectStoreContract;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract on the embedded server, less the points in which that server is not S3. */
abstract class EmbeddedServerContract extends ObjectStoreContract {
  private static final String BUCKET = "contract";
  private static EmbeddedS3Server server;
  private TestStores stores;

  /** What is set beside the way to the server. */
  abstract Map<String, String> settings();

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    server.createBucket(BUCKET);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void open() {
    stores = TestStores.with(server.hadoopSettings(), settings());
  }

  @AfterEach
  void close() throws IOException {
    stores.close();
  }

  @Override
  protected ObjectStore store() throws IOException {
    return stores.of(BUCKET);
  }

  TestStores stores() {
    return stores;
  }

  /** S3Proxy on a file system takes parts of an aborted upload. */
  @Override
  protected boolean fencesAborts() {
    return false;
  }

  @Override
  protected boolean knowsUploadsWithoutParts() {
    return false;
  }

  @Override
  protected boolean knowsLifecycle() {
    return false;
  }

  /** S3Proxy orders keys by UTF-16, which is another order beyond U+FFFF. */
  @Test
  @Override
  public void keysAreOrderedByTheirUtf8BytesAndMayHoldAnyCharacter() throws IOException {
    List<String> keys =
        List.of("order/a b", "order/a%3Ab", "order/a+b", "order/a=1", "order/é", "order/\uFF5E");
    String beyond = "order/\uD83D\uDE00";
    List<String> all = new ArrayList<>(keys);
    all.add(beyond);
    for (String key : all) {
      store().putObject(key, PartBody.of(key.getBytes(UTF_8)), Map.of());
    }
    assertThat(keys()).containsExactlyInAnyOrderElementsOf(all);
    assertThat(keys()).containsSubsequence(keys);
    for (String key : all) {
      assertThat(store().getObject(key)).asString(UTF_8).isEqualTo(key);
      assertThat(store().headObject(key)).isPresent();
    }
    assertThat(store().deleteObjects(all)).isEmpty();
    assertThat(keys()).isEmpty();
  }

  private List<String> keys() throws IOException {
    List<ObjectSummary> entries = new ArrayList<>();
    store().listObjects("order/").forEachRemaining(entries::add);
    return entries.stream().map(ObjectSummary::key).toList();
  }
}
