package io.zerorename.core.commit;

import io.zerorename.core.upload.PendingUpload;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Which directories' old files a job replaces. */
@FunctionalInterface
public interface Overwrite {
  /** The replaced directories of a job with these uploads, fully qualified. */
  Set<Path> directories(Collection<PendingUpload> uploads);

  /** The job adds files and replaces none. */
  static Overwrite none() {
    return uploads -> Set.of();
  }

  /** Exactly this directory, even where the job writes no file. */
  static Overwrite directory(Path directory) {
    return uploads -> Set.of(directory);
  }

  /** The directories in which the job writes files, and no others. */
  static Overwrite directoriesOfUploads() {
    return uploads -> {
      Set<Path> directories = new LinkedHashSet<>();
      uploads.forEach(upload -> directories.add(upload.destination().getParent()));
      return directories;
    };
  }
}
