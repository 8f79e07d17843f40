package io.zerorename.core.s3a;

import io.zerorename.testing.StoreDifference;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract on any server, which is given by system properties:
 *
 * <ul>
 *   <li>{@code zerorename.test.endpoint}: a URL, {@code http} or {@code https}
 *   <li>{@code zerorename.test.bucket}: a bucket that exists; objects below {@code contract/} are
 *       left in it
 *   <li>{@code zerorename.test.access.key}, {@code zerorename.test.secret.key}
 *   <li>{@code zerorename.test.region}: by default {@code us-east-1}
 *   <li>{@code zerorename.test.differences}: names of {@link StoreDifference} between commas
 * </ul>
 */
@EnabledIfSystemProperty(
    named = "zerorename.test.endpoint",
    matches = ".+",
    disabledReason = "No server is given: set -Dzerorename.test.endpoint and its like.")
class GivenEndpointContractTest extends ServerContract {
  private static final String PREFIX = "zerorename.test.";

  @Override
  Map<String, String> serverSettings() {
    String endpoint = required("endpoint");
    Map<String, String> settings = new HashMap<>();
    settings.put("fs.s3a.endpoint", endpoint);
    settings.put("fs.s3a.connection.ssl.enabled", Boolean.toString(endpoint.startsWith("https:")));
    settings.put("fs.s3a.endpoint.region", System.getProperty(PREFIX + "region", "us-east-1"));
    settings.put("fs.s3a.path.style.access", "true");
    settings.put(
        "fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
    settings.put("fs.s3a.access.key", required("access.key"));
    settings.put("fs.s3a.secret.key", required("secret.key"));
    settings.put("fs.s3a.connection.expect.continue", "false");
    return settings;
  }

  @Override
  String bucket() {
    return required("bucket");
  }

  @Override
  protected Set<StoreDifference> differences() {
    return Stream.of(System.getProperty(PREFIX + "differences", "").split(",", -1))
        .filter(name -> !name.isBlank())
        .map(name -> StoreDifference.valueOf(name.strip()))
        .collect(Collectors.toSet());
  }

  private static String required(String name) {
    String value = System.getProperty(PREFIX + name, "");
    if (value.isEmpty()) {
      throw new IllegalStateException(
          "an endpoint is given and " + PREFIX + name + " is not: set it with -D" + PREFIX + name);
    }
    return value;
  }
}
