package io.zerorename.core.s3a;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.ObjectStoreContract;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract as S3A's client keeps it on a server. */
abstract class ServerContract extends ObjectStoreContract {
  private TestStores stores;

  /** The settings of S3A that lead to the server. */
  abstract Map<String, String> serverSettings();

  /** A bucket that exists. */
  abstract String bucket();

  @BeforeEach
  void open() {
    stores = TestStores.with(serverSettings(), S3ARequestCountTest.STRICT);
  }

  @AfterEach
  void close() throws IOException {
    stores.close();
  }

  @Override
  protected ObjectStore store() throws IOException {
    return stores.of(bucket());
  }
}
