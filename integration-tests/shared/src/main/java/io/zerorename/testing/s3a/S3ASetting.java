package io.zerorename.testing.s3a;

import io.zerorename.testing.s3server.RequestType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.util.ComparableVersion;
import org.apache.hadoop.util.VersionInfo;

/**
 * Something that a user can set for S3A, with the headers that it must give to requests of some
 * types, and to those of no others: S3 refuses requests with headers that are not theirs.
 *
 * @param since the first version of Hadoop that has it
 * @param settings by name without {@code fs.s3a.}, so that they can be set for one bucket too
 * @param types those of the requests that have the headers
 * @param headers by name in lower case, each with what its value contains
 */
public record S3ASetting(
    String name,
    String since,
    Map<String, String> settings,
    Set<RequestType> types,
    Map<String, String> headers) {
  private static final String OLDEST_HADOOP = "3.4.1";
  private static final Set<RequestType> ALL = EnumSet.allOf(RequestType.class);

  public S3ASetting {
    settings = Map.copyOf(settings);
    types = Set.copyOf(types);
    headers = Map.copyOf(headers);
  }

  static S3ASetting named(String name) {
    return new S3ASetting(name, OLDEST_HADOOP, Map.of(), Set.of(), Map.of());
  }

  S3ASetting since(String version) {
    return new S3ASetting(name, version, settings, types, headers);
  }

  S3ASetting set(String setting, String value) {
    return new S3ASetting(name, since, with(settings, setting, value), types, headers);
  }

  S3ASetting gives(String header, String value) {
    return new S3ASetting(name, since, settings, types, with(headers, header, value));
  }

  S3ASetting to(RequestType... requests) {
    return new S3ASetting(name, since, settings, Set.copyOf(Arrays.asList(requests)), headers);
  }

  S3ASetting toAll() {
    return new S3ASetting(name, since, settings, ALL, headers);
  }

  boolean isOfThisHadoop() {
    return new ComparableVersion(since).compareTo(new ComparableVersion(VersionInfo.getVersion()))
        <= 0;
  }

  /** As Hadoop's configuration names the settings for all buckets. */
  public Map<String, String> forAllBuckets() {
    return prefixed("fs.s3a.");
  }

  /** As Hadoop's configuration names the settings for one bucket. */
  public Map<String, String> forBucket(String bucket) {
    return prefixed("fs.s3a.bucket." + bucket + ".");
  }

  /** A row of the documentation: name, settings, headers, requests, version. */
  String documentation() {
    String requests =
        types.equals(ALL)
            ? "all"
            : Stream.of(RequestType.values())
                .filter(types::contains)
                .map(RequestType::apiName)
                .collect(Collectors.joining(", "));
    return Stream.of(
            name,
            code(prefixed("fs.s3a.")),
            code(headers),
            requests,
            since.equals(OLDEST_HADOOP) ? "" : since)
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  @Override
  public String toString() {
    return name;
  }

  private Map<String, String> prefixed(String prefix) {
    return settings.entrySet().stream()
        .collect(Collectors.toMap(setting -> prefix + setting.getKey(), Map.Entry::getValue));
  }

  private static String code(Map<String, String> named) {
    return named.keySet().stream()
        .sorted()
        .map(it -> "`" + it + "`")
        .collect(Collectors.joining(", "));
  }

  private static Map<String, String> with(Map<String, String> map, String key, String value) {
    Map<String, String> more = new TreeMap<>(map);
    more.put(key, value);
    return more;
  }
}
