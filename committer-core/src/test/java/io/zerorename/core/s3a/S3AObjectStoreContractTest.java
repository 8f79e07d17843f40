package io.zerorename.core.s3a;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * S3A's client keeps the store's contract. What takes a thousand requests is shown by {@link
 * S3AStrictAuditTest}, where S3A refuses more.
 */
@Tag("stores")
class S3AObjectStoreContractTest extends EmbeddedServerContract {
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
