package io.zerorename.testing.s3server;

import java.util.Map;

/**
 * What a process needs to reach an S3 server.
 *
 * @param settings of S3A, without credentials, which Hive removes from the configuration of tasks
 * @param environment variables with the credentials
 */
public record S3Access(Map<String, String> settings, Map<String, String> environment) {
  public S3Access {
    settings = Map.copyOf(settings);
    environment = Map.copyOf(environment);
  }
}
