package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;

/**
 * Looks which files of a commit are in place where it is carried on after a break and its names are
 * not unique: meanwhile somebody may have put an object there, which would be replaced. One request
 * per file.
 */
final class VisibleFiles {
  private final ObjectStores stores;

  VisibleFiles(ObjectStores stores) {
    this.stores = requireNonNull(stores, "stores");
  }

  /**
   * The destinations of files that are there.
   *
   * @throws IOException where another job's object is there: then none of the files may appear
   */
  PlaceSet of(CommitPlan plan, Workers workers) throws IOException {
    PlaceSet visible = new PlaceSet();
    workers.forEach(
        plan.files(),
        file -> {
          Optional<ObjectHead> there = stores.forPath(file.destination()).headObject(file.key());
          if (there.isPresent() && !file.isIdentityOf(there.get())) {
            throw new IOException(
                "another job has meanwhile written "
                    + file.destination()
                    + ", which is left as it is. If that object is not wanted, delete it and let"
                    + " the commit be carried on again.");
          }
          if (there.isPresent()) {
            visible.add(file.destination().toString());
          }
        });
    return visible;
  }
}
