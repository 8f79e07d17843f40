package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** The JSON form of a job. */
final class JobJson {
  private JobJson() {}

  static void write(JsonGenerator json, OutputJob job) throws IOException {
    json.writeStartObject();
    json.writeStringField("id", job.id());
    json.writeStringField("description", job.description());
    json.writeStringField("destination", job.destination().toString());
    PathsJson.write(json, "roots", job.roots());
    json.writeBooleanField("plainNames", job.plainNames());
    PathsJson.write(json, "records", job.records().stream().toList());
    json.writeObjectFieldStart("attributes");
    for (Map.Entry<String, String> attribute : job.attributes().entrySet()) {
      json.writeStringField(attribute.getKey(), attribute.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  static OutputJob read(JsonNode node) throws MalformedManifestException {
    Map<String, String> attributes = new HashMap<>();
    JsonNode object = node.path("attributes");
    for (String name : (Iterable<String>) object::fieldNames) {
      attributes.put(name, JsonFields.text(object, name));
    }
    return new OutputJob(
        JsonFields.text(node, "id"),
        JsonFields.text(node, "description"),
        path(JsonFields.text(node, "destination")),
        PathsJson.read(node, "roots"),
        JsonFields.flag(node, "plainNames"),
        records(node),
        attributes);
  }

  private static Path path(String text) throws MalformedManifestException {
    try {
      return new Path(text);
    } catch (IllegalArgumentException e) {
      throw new MalformedManifestException("\"" + text + "\" is no path", e);
    }
  }

  /** The local file system, where a single machine may keep records, has no authority. */
  private static Optional<Path> records(JsonNode node) throws MalformedManifestException {
    Optional<Path> records = Optional.empty();
    for (JsonNode path : JsonFields.array(node, "records")) {
      records = Optional.of(path(JsonFields.text(path, "path")));
    }
    return records;
  }
}
