package io.zerorename.core.s3a;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.testing.s3a.S3ASetting;
import io.zerorename.testing.s3a.S3ASettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting of S3A is in the headers of every request that it is for, and in no other's. */
class S3ASettingsTest {
  private static CannedS3 server;
  private static Map<String, String> hadoop;

  @BeforeAll
  static void start() throws IOException {
    server = new CannedS3(200, CannedS3.ANY_RESULT);
    hadoop = new HashMap<>(server.hadoopSettings());
    // The only one of the settings that Hadoop, from 3.4.3 on, has switched on by itself.
    hadoop.put("fs.s3a.request.md5.header", "false");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static List<S3ASetting> settings() {
    List<S3ASetting> settings = S3ASettings.ofThisHadoop();
    // Those that every Hadoop has that we support.
    assertThat(settings).hasSizeGreaterThan(10);
    return settings;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aSettingHoldsForAllBucketsOrForTheOneThatHasIt(S3ASetting setting) throws IOException {
    try (TestStores stores = TestStores.with(hadoop, setting.forAllBuckets())) {
      assertHolds(setting, stores.of("bucket"));
    }
    try (TestStores stores = TestStores.with(hadoop, setting.forBucket("sales"))) {
      assertHolds(setting, stores.of("sales"));
      for (StoreRequest request : StoreRequest.ALL) {
        request.sendTo(stores.of("other"));
        assertHasNot(setting, request);
      }
    }
  }

  private void assertHolds(S3ASetting setting, ObjectStore store) throws IOException {
    for (StoreRequest request : StoreRequest.ALL) {
      int before = server.requests();
      request.sendTo(store);
      assertThat(server.requests()).as("%s is one request", request.type()).isEqualTo(before + 1);
      if (setting.types().contains(request.type())) {
        setting
            .headers()
            .forEach(
                (name, value) ->
                    assertThat(server.lastHeader(name))
                        .as("%s of %s", name, request.type())
                        .isNotNull()
                        .contains(value));
      } else {
        assertHasNot(setting, request);
      }
    }
  }

  private static void assertHasNot(S3ASetting setting, StoreRequest request) {
    setting
        .headers()
        .forEach(
            (name, value) ->
                assertThat(server.lastHeader(name))
                    .as("%s of %s", name, request.type())
                    .satisfiesAnyOf(
                        header -> assertThat(header).isNull(),
                        header -> assertThat(header).doesNotContain(value)));
  }
}
