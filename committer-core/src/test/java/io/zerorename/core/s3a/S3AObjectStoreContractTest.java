package io.zerorename.core.s3a;

import java.util.Map;

/** S3A's client keeps the store's contract. */
class S3AObjectStoreContractTest extends EmbeddedServerContract {
  @Override
  Map<String, String> settings() {
    return Map.of();
  }
}
