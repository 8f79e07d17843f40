package io.zerorename.testing;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.job.ManifestSource;
import java.util.List;

/** Manifests that are at hand. */
public final class Manifests {
  private Manifests() {}

  public static ManifestSource of(List<TaskManifest> manifests) {
    List<TaskManifest> copy = List.copyOf(manifests);
    return (workers, action) -> workers.forEach(copy, action);
  }
}
