package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.RepeatableBody;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which host requests are for, as the user's proxy sees it. No host of these names is asked: the
 * proxy answers itself.
 */
class S3ARouteTest {
  private static CannedS3 proxy;

  /**
   * @param settings by name without {@code fs.s3a.}
   * @param host that the bucket's requests are for
   * @param path of the object {@code k}
   */
  private record Route(Map<String, String> settings, String region, String host, String path) {
    @Override
    public String toString() {
      return settings.toString();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    proxy = new CannedS3(200, CannedS3.ANY_RESULT);
  }

  @AfterAll
  static void stop() {
    proxy.close();
  }

  static Stream<Route> routes() {
    return Stream.of(
        new Route(
            Map.of("endpoint", "http://s3.example.com", "path.style.access", "true"),
            "us-east-1",
            "s3.example.com",
            "/sales/k"),
        new Route(
            Map.of("endpoint", "http://s3.example.com", "path.style.access", "false"),
            "us-east-1",
            "sales.s3.example.com",
            "/k"),
        new Route(
            Map.of(
                "endpoint", "http://s3.eu-south-1.amazonaws.com", "endpoint.region", "eu-south-1"),
            "eu-south-1",
            "sales.s3.eu-south-1.amazonaws.com",
            "/k"),
        new Route(
            Map.of(
                "accesspoint.arn", "arn:aws:s3:eu-west-3:123456789012:accesspoint/sales-team",
                "endpoint.region", "eu-west-3"),
            "eu-west-3",
            "sales-team-123456789012.s3-accesspoint.eu-west-3.amazonaws.com",
            "/k"));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void requestsGoThroughTheProxyToTheBucketsOwnHost(Route route) throws IOException {
    Map<String, String> settings = new HashMap<>(throughProxy());
    route.settings().forEach((name, value) -> settings.put("fs.s3a.bucket.sales." + name, value));
    try (TestStores stores = TestStores.with(Map.of(), settings)) {
      for (StoreRequest request : StoreRequest.ALL) {
        int before = proxy.requests();
        request.sendTo(stores.of("sales"));
        assertThat(proxy.requests()).as("%s", request.type()).isEqualTo(before + 1);
        assertThat(proxy.lastHeader("Host")).as("%s", request.type()).isEqualTo(route.host());
        assertThat(proxy.lastHeader("Authorization")).contains("/" + route.region() + "/s3/");
      }
      stores.of("sales").putObject("k", RepeatableBody.of(new byte[0]), Map.of());
      assertThat(proxy.lastPath()).isEqualTo(route.path());
    }
  }

  private static Map<String, String> throughProxy() {
    Map<String, String> settings = new HashMap<>(proxy.hadoopSettings());
    settings.remove("fs.s3a.endpoint");
    settings.remove("fs.s3a.path.style.access");
    settings.put("fs.s3a.proxy.host", "127.0.0.1");
    settings.put("fs.s3a.proxy.port", Integer.toString(proxy.port()));
    return settings;
  }
}
