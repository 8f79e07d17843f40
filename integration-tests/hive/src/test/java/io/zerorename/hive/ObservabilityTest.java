package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.lang.management.ManagementFactory;
import java.net.URLDecoder;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What an operator sees of INSERTs: on the console and in S3's access log. */
class ObservabilityTest {
  /** As Hive makes them: user, time, UUID. */
  private static final String QUERY_ID = "[^_]+_[0-9]{14}_[-0-9a-f]{36}";

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @Test
  void requestsOfTasksAndOfTheCommitNameTheQuery() throws Exception {
    String table = create("observed_requests");
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute("insert overwrite table " + table + " values (1), (2)");

      List<S3Request> ours =
          recording.requests().stream()
              .filter(request -> referrer(request).contains("op=zerorename."))
              .toList();
      assertThat(ours)
          .extracting(S3Request::type)
          .contains(
              RequestType.CREATE_MULTIPART_UPLOAD,
              RequestType.UPLOAD_PART,
              RequestType.COMPLETE_MULTIPART_UPLOAD,
              RequestType.PUT_OBJECT,
              RequestType.LIST_OBJECTS_V2,
              RequestType.DELETE_OBJECTS);
      Set<String> queries =
          ours.stream()
              .map(request -> referrer(request).replaceFirst(".*[?&]ji=([^&]*).*", "$1"))
              .collect(Collectors.toSet());
      assertThat(queries).singleElement().asString().matches(QUERY_ID);
      assertThat(ours)
          .filteredOn(request -> request.type() == RequestType.UPLOAD_PART)
          .allSatisfy(request -> assertThat(referrer(request)).contains("ta=attempt_"));
    }
  }

  @Test
  void commitsAndFallbacksAreCountedInJmx() throws Exception {
    String table = create("observed_counters");
    s3.hive().execute("insert into " + table + " values (1)");
    long commits = jmx("Commits");
    long requests = jmx("Requests");
    s3.hive().execute("insert into " + table + " values (2)");
    s3.hive().set("zerorename.hive.enabled", "false");
    s3.hive().execute("insert into " + table + " values (3)");

    assertThat(jmx("Commits")).isEqualTo(commits + 1);
    assertThat(jmx("Requests")).isGreaterThan(requests);
    assertThat(jmx("Fallbacks")).isPositive();
    assertThat(jmx("FallbacksDisabled")).isPositive();
  }

  private static long jmx(String attribute) throws JMException {
    return (Long)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(new ObjectName(CommitterMetrics.NAME), attribute);
  }

  private String create(String table) throws Exception {
    s3.create(table, "(a int) stored as orc");
    return table;
  }

  private static String referrer(S3Request request) {
    return URLDecoder.decode(request.headers().getOrDefault("referer", ""), UTF_8);
  }
}
