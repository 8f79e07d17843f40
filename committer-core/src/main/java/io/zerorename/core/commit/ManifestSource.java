package io.zerorename.core.commit;

import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Where the manifests of the chosen task attempts come from: files, or, in engines that carry
 * messages from tasks to the job, those.
 */
@FunctionalInterface
public interface ManifestSource {
  /**
   * All manifests of the job, in any order.
   *
   * @param workers to read with
   */
  List<TaskManifest> load(Workers workers) throws IOException;

  /** Manifests that are at hand. */
  static ManifestSource of(List<TaskManifest> manifests) {
    List<TaskManifest> copy = List.copyOf(manifests);
    return workers -> copy;
  }

  /** Every file below a directory, each of which must be a manifest; none if it does not exist. */
  static ManifestSource filesBelow(FileSystem fileSystem, Path directory) {
    return workers -> {
      List<Path> files = new ArrayList<>();
      if (fileSystem.exists(directory)) {
        RemoteIterator<LocatedFileStatus> listing = fileSystem.listFiles(directory, true);
        while (listing.hasNext()) {
          files.add(listing.next().getPath());
        }
      }
      List<TaskManifest> manifests = Collections.synchronizedList(new ArrayList<>());
      workers.forEach(files, file -> manifests.add(ManifestFiles.read(fileSystem, file)));
      return List.copyOf(manifests);
    };
  }
}
