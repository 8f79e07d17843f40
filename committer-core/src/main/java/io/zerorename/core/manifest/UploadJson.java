package io.zerorename.core.manifest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.store.PartChecksum;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** The JSON form of pending uploads, which manifests and commit plans share. */
public final class UploadJson {
  private UploadJson() {}

  /** Writes the uploads as a field. */
  public static void write(JsonGenerator json, List<PendingUpload> uploads) throws IOException {
    json.writeArrayFieldStart("uploads");
    for (PendingUpload upload : uploads) {
      write(json, upload);
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, PendingUpload upload) throws IOException {
    json.writeStartObject();
    json.writeStringField("destination", upload.destination().toString());
    json.writeStringField("uploadId", upload.uploadId());
    json.writeStringField("jobId", upload.jobId());
    json.writeStringField("taskAttemptId", upload.taskAttemptId());
    json.writeStringField("identity", upload.identity());
    json.writeArrayFieldStart("parts");
    for (UploadedPart part : upload.parts()) {
      json.writeStartObject();
      json.writeNumberField("number", part.number());
      json.writeStringField("etag", part.etag());
      json.writeNumberField("size", part.size());
      if (part.checksum().isPresent()) {
        json.writeStringField("checksumAlgorithm", part.checksum().get().algorithm());
        json.writeStringField("checksum", part.checksum().get().value());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedManifestException where a field is absent, of another type or impossible
   */
  public static List<PendingUpload> read(JsonNode root) throws MalformedManifestException {
    List<PendingUpload> uploads = new ArrayList<>();
    for (JsonNode node : JsonFields.array(root, "uploads")) {
      uploads.add(readOne(node));
    }
    return uploads;
  }

  private static PendingUpload readOne(JsonNode node) throws MalformedManifestException {
    try {
      List<UploadedPart> parts = new ArrayList<>();
      for (JsonNode part : JsonFields.array(node, "parts")) {
        parts.add(
            new UploadedPart(
                Math.toIntExact(JsonFields.number(part, "number")),
                JsonFields.text(part, "etag"),
                JsonFields.number(part, "size"),
                checksum(part)));
      }
      return new PendingUpload(
          path(node, "destination"),
          JsonFields.text(node, "uploadId"),
          parts,
          JsonFields.text(node, "jobId"),
          JsonFields.text(node, "taskAttemptId"),
          JsonFields.text(node, "identity"));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new MalformedManifestException("it has an impossible upload: " + e.getMessage(), e);
    }
  }

  private static Optional<PartChecksum> checksum(JsonNode part) throws MalformedManifestException {
    return part.has("checksum")
        ? Optional.of(
            new PartChecksum(
                JsonFields.text(part, "checksumAlgorithm"), JsonFields.text(part, "checksum")))
        : Optional.empty();
  }

  private static void refuseDots(String field, String text) throws MalformedManifestException {
    for (String element : text.split("/", -1)) {
      if (element.equals("..") || element.equals(".")) {
        throw new MalformedManifestException(
            field + " \"" + text + "\" has an element \"" + element + "\"", null);
      }
    }
  }

  /** A fully qualified path whose elements are all names, none of them {@code ..}. */
  public static Path path(JsonNode node, String field) throws MalformedManifestException {
    String text = JsonFields.text(node, field);
    // Most have none that begins so, and a plan has many.
    if (text.startsWith(".") || text.contains("/.")) {
      refuseDots(field, text);
    }
    try {
      Path path = isPlain(text) ? new Path(URI.create(text)) : new Path(text);
      if (path.toUri().getScheme() == null || path.toUri().getAuthority() == null) {
        throw new MalformedManifestException(
            field + " \"" + text + "\" names no file system", null);
      }
      return path;
    } catch (IllegalArgumentException e) {
      throw new MalformedManifestException(field + " \"" + text + "\" is no path", e);
    }
  }

  /**
   * Whether a path is written as a URI has it, as most are. {@link Path#Path(String)} would take
   * longer to find that out, by replacing, quoting and parsing, than all else takes that is read of
   * a file.
   */
  private static boolean isPlain(String text) {
    int start = text.indexOf("://");
    if (start <= 0) {
      return false;
    }
    char before = '/';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean simple =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || (i > start && (c == '_' || c == '='))
              || (before != '/' && (c == '.' || c == '/'));
      if (i == start) {
        i += 2;
        before = '/';
      } else if (simple) {
        before = c;
      } else {
        return false;
      }
    }
    return before != '/';
  }
}
