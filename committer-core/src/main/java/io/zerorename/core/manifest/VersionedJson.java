package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * One kind of file that holds a JSON object with a version. Reading is strict: whatever the
 * committer cannot have written is refused with the file's name, the reason and an advice.
 */
public final class VersionedJson {
  private static final JsonFactory JSON = new JsonFactory();
  private static final ObjectReader TREES =
      new ObjectMapper()
          .reader()
          .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final String kind;
  private final int version;
  private final String advice;

  /** Writes the fields of the object that come after its version. */
  @FunctionalInterface
  public interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /** Reads the fields of the object. */
  @FunctionalInterface
  public interface Parser<T> {
    T parse(JsonNode object) throws MalformedManifestException;
  }

  /**
   * Describes a kind of file.
   *
   * @param kind what a person calls such a file
   * @param version that is written, and the only one that is read
   * @param advice what to do about a file that cannot be read
   */
  public VersionedJson(String kind, int version, String advice) {
    this.kind = requireNonNull(kind, "kind");
    this.version = version;
    this.advice = requireNonNull(advice, "advice");
  }

  public void write(FileSystem fileSystem, Path file, boolean overwrite, Fields fields)
      throws IOException {
    try (OutputStream out = fileSystem.create(file, overwrite)) {
      write(out, fields);
    }
  }

  /** The document as bytes. */
  public byte[] write(Fields fields) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(out, fields);
    return out.toByteArray();
  }

  private void write(OutputStream out, Fields fields) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeNumberField("version", version);
      fields.write(json);
      json.writeEndObject();
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedManifestException where the file is truncated, of another version, or no such
   *     file at all
   */
  public <T> T read(FileSystem fileSystem, Path file, Parser<T> parser) throws IOException {
    try (InputStream in = fileSystem.open(file)) {
      return read(in, file.toString(), parser);
    }
  }

  /**
   * Reads what {@link #write(Fields)} returned.
   *
   * @param where the document was found, for messages
   * @throws MalformedManifestException as for a file
   */
  public <T> T read(byte[] document, String where, Parser<T> parser) throws IOException {
    return read(new ByteArrayInputStream(document), where, parser);
  }

  private <T> T read(InputStream in, String where, Parser<T> parser) throws IOException {
    try {
      return parser.parse(checked(TREES.readTree(in)));
    } catch (JsonProcessingException e) {
      throw malformed(where, "it is truncated or no JSON", e);
    } catch (OtherVersionException e) {
      throw new OtherVersionException(cannotRead(where, e.getMessage()));
    } catch (MalformedManifestException e) {
      throw malformed(where, e.getMessage(), e);
    }
  }

  private JsonNode checked(JsonNode root) throws MalformedManifestException {
    if (root == null || !root.isObject()) {
      throw new MalformedManifestException("it is empty or no JSON object", null);
    }
    long found = JsonFields.number(root, "version");
    if (found != version) {
      throw new OtherVersionException(
          "it has version "
              + found
              + " and this committer reads version "
              + version
              + "; the same release must be on all machines");
    }
    return root;
  }

  private MalformedManifestException malformed(String where, String why, Exception cause) {
    return new MalformedManifestException(cannotRead(where, why), cause);
  }

  private String cannotRead(String where, String why) {
    return "Cannot read the " + kind + " " + where + ": " + why + ". " + advice;
  }
}
