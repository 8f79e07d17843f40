package io.zerorename.core.commit;

import io.zerorename.core.log.PathsJson;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** The files of a committed job that cannot be completed any more: their uploads have vanished. */
record Damage(List<Path> lost) {
  private static final VersionedJson JSON =
      new VersionedJson("note of lost files", 1, "It was damaged after it was written.");

  Damage {
    lost = List.copyOf(lost);
  }

  byte[] toJson() throws IOException {
    return JSON.write(json -> PathsJson.write(json, "lost", lost));
  }

  static Damage read(byte[] document, String where) throws IOException {
    return JSON.read(document, where, root -> new Damage(PathsJson.read(root, "lost")));
  }
}
