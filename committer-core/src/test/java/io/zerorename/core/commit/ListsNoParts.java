package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.testing.ForwardingStore;
import java.io.IOException;
import java.util.List;

/** Answers ListParts of an upload that has ended with no parts, as S3Proxy does. */
final class ListsNoParts extends ForwardingStore {
  ListsNoParts(ObjectStore store) {
    super(store);
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    return StoreException.orElse(
        Kind.NO_SUCH_UPLOAD, List.of(), () -> super.listParts(key, uploadId));
  }
}
