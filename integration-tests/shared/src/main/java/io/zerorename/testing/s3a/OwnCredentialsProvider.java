package io.zerorename.testing.s3a;

import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Stands for a provider that a user has written. */
public final class OwnCredentialsProvider implements AwsCredentialsProvider {
  static final String ACCESS_KEY = "key-of-own-provider";

  @Override
  public AwsCredentials resolveCredentials() {
    return AwsBasicCredentials.create(ACCESS_KEY, "secret");
  }
}
