package io.zerorename.testing.s3server;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A request as the gateway saw it arrive, before it was forwarded.
 *
 * @param bucket empty for a request to the service
 * @param key decoded, without a leading slash; empty for a request to the service or a bucket
 * @param uploadId of requests that belong to a multipart upload, save its creation
 * @param partNumber of requests that upload a part
 * @param copySource {@code bucket/key} of the object that the server is to copy
 * @param prefix of listings
 * @param headers the first value of each, by its name in lower case
 * @param client the address of the host that has sent it
 */
public record S3Request(
    RequestType type,
    String bucket,
    String key,
    Optional<String> uploadId,
    OptionalInt partNumber,
    Optional<String> copySource,
    Optional<String> prefix,
    Map<String, String> headers,
    String client) {

  public S3Request {
    headers = Map.copyOf(headers);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(type.apiName()).append(' ').append(bucket);
    if (!key.isEmpty()) {
      text.append('/').append(key);
    }
    prefix.ifPresent(value -> text.append(" prefix=").append(value));
    partNumber.ifPresent(value -> text.append(" part=").append(value));
    copySource.ifPresent(value -> text.append(" from=").append(value));
    return text.toString();
  }
}
