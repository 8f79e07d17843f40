package io.zerorename.core.manifest;

import com.fasterxml.jackson.databind.JsonNode;

/** Reads fields of a JSON object; a failure names the field and what is wrong with it. */
public final class JsonFields {
  private JsonFields() {}

  public static String text(JsonNode node, String field) throws MalformedManifestException {
    JsonNode value = node.path(field);
    if (!value.isTextual()) {
      throw expected(field, "a string", value);
    }
    return value.textValue();
  }

  /** A whole number that fits into 64 bits. */
  public static long number(JsonNode node, String field) throws MalformedManifestException {
    JsonNode value = node.path(field);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw expected(field, "a whole number", value);
    }
    return value.longValue();
  }

  /** True or false. */
  public static boolean flag(JsonNode node, String field) throws MalformedManifestException {
    JsonNode value = node.path(field);
    if (!value.isBoolean()) {
      throw expected(field, "true or false", value);
    }
    return value.booleanValue();
  }

  public static JsonNode array(JsonNode node, String field) throws MalformedManifestException {
    JsonNode value = node.path(field);
    if (!value.isArray()) {
      throw expected(field, "a list", value);
    }
    return value;
  }

  private static MalformedManifestException expected(String field, String type, JsonNode value) {
    return new MalformedManifestException(
        value.isMissingNode()
            ? "it has no field \"" + field + "\""
            : "field \"" + field + "\" is not " + type,
        null);
  }
}
