package io.zerorename.core.s3a;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * S3A's client keeps the store's contract, also where S3A refuses every request outside an audit
 * span. What takes a thousand requests is shown by {@link S3ARequestCountTest} and {@link
 * S3APartsTest}.
 */
@Tag("stores")
class S3AObjectStoreContractTest extends EmbeddedServerContract {
  @Override
  Map<String, String> settings() {
    return S3AAuditTest.STRICT;
  }

  /** S3A leaves a span active on the thread that opens a file system: let that be another one. */
  @BeforeEach
  void openOnAnotherThread() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      pool.submit(this::store).get();
    } finally {
      pool.shutdown();
    }
  }

  @Override
  @Test
  @Tag("thorough")
  public void partsAreListedPastOnePage() throws IOException {
    super.partsAreListedPastOnePage();
  }

  @Override
  @Test
  @Tag("thorough")
  public void listingAndBulkDeleteGoPastOnePage() throws IOException {
    super.listingAndBulkDeleteGoPastOnePage();
  }
}
