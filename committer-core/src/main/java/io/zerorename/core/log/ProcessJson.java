package io.zerorename.core.log;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.time.Instant;

/** The JSON form of a process: fields of the object that it belongs to. */
final class ProcessJson {
  private ProcessJson() {}

  public static void write(JsonGenerator json, ProcessIdentity process) throws IOException {
    json.writeStringField("host", process.host());
    json.writeNumberField("pid", process.pid());
    json.writeNumberField("startedSeconds", process.started().getEpochSecond());
  }

  public static ProcessIdentity read(JsonNode root) throws MalformedManifestException {
    return new ProcessIdentity(
        JsonFields.text(root, "host"),
        JsonFields.number(root, "pid"),
        Instant.ofEpochSecond(JsonFields.number(root, "startedSeconds")));
  }
}
