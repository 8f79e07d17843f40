package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.UploadJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** The JSON form of a list of paths. */
final class PathsJson {
  private PathsJson() {}

  static void write(JsonGenerator json, String field, List<Path> paths) throws IOException {
    json.writeArrayFieldStart(field);
    for (Path path : paths) {
      json.writeStartObject();
      json.writeStringField("path", path.toString());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  static List<Path> read(JsonNode object, String field) throws MalformedManifestException {
    List<Path> paths = new ArrayList<>();
    for (JsonNode path : JsonFields.array(object, field)) {
      paths.add(UploadJson.path(path, "path"));
    }
    return paths;
  }
}
