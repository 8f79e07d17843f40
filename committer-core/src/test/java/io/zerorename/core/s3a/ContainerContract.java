package io.zerorename.core.s3a;

import static org.junit.jupiter.api.Assumptions.abort;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerFetchException;
import org.testcontainers.containers.GenericContainer;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract on a server in a container, where this host has a Docker engine. */
abstract class ContainerContract extends ServerContract {
  static final String WITHOUT_DOCKER = "no Docker engine answers on this host.";
  static final String ACCESS_KEY = "zerorename-test";
  static final String SECRET_KEY = "zerorename-test-secret";
  private static final String REGION = "us-east-1";
  private static final String BUCKET = "contract";

  private static GenericContainer<?> container;
  private static URI endpoint;

  /** Named by the condition of each concrete class, which JUnit does not inherit. */
  static boolean dockerEngineAnswers() {
    boolean answers = DockerClientFactory.instance().isDockerAvailable();
    if (!answers) {
      System.out.println("Skipped: " + WITHOUT_DOCKER);
    }
    return answers;
  }

  /** Starts a container, of which the class has one, with an empty bucket. */
  static void start(GenericContainer<?> image, int port) {
    image.withExposedPorts(port);
    try {
      image.start();
    } catch (ContainerFetchException e) {
      abort("The image " + image.getDockerImageName() + " cannot be had: " + e.getMessage());
    }
    container = image;
    endpoint = URI.create("http://" + image.getHost() + ":" + image.getMappedPort(port));
    try (S3Client client =
        S3Client.builder()
            .endpointOverride(endpoint)
            .region(Region.of(REGION))
            .forcePathStyle(true)
            .credentialsProvider(
                StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
            .httpClientBuilder(ApacheHttpClient.builder())
            .build()) {
      client.createBucket(request -> request.bucket(BUCKET));
    }
  }

  @AfterAll
  static void stop() {
    if (container != null) {
      container.stop();
      container = null;
    }
  }

  @Override
  Map<String, String> serverSettings() {
    return Map.of(
        "fs.s3a.endpoint",
        endpoint.toString(),
        "fs.s3a.endpoint.region",
        REGION,
        "fs.s3a.path.style.access",
        "true",
        "fs.s3a.connection.ssl.enabled",
        "false",
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "fs.s3a.access.key",
        ACCESS_KEY,
        "fs.s3a.secret.key",
        SECRET_KEY);
  }

  @Override
  String bucket() {
    return BUCKET;
  }
}
