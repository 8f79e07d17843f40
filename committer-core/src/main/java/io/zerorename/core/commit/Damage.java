package io.zerorename.core.commit;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.UploadJson;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.util.ArrayList;
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
    return JSON.write(
        json -> {
          json.writeArrayFieldStart("lost");
          for (Path path : lost) {
            json.writeStartObject();
            json.writeStringField("path", path.toString());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  static Damage read(byte[] document, String where) throws IOException {
    return JSON.read(
        document,
        where,
        root -> {
          List<Path> lost = new ArrayList<>();
          for (JsonNode path : JsonFields.array(root, "lost")) {
            lost.add(UploadJson.path(path, "path"));
          }
          return new Damage(lost);
        });
  }
}
