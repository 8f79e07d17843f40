package io.zerorename.testing.sparksuites;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Counts the requests of each millisecond; no request goes wrong. */
final class TimedRequests implements FaultRule {
  private final NavigableMap<Long, Requests> byMillis = new ConcurrentSkipListMap<>();

  @Override
  public Optional<Fault> on(S3Request request) {
    byMillis.merge(System.currentTimeMillis(), count(request), Requests::plus);
    return Optional.empty();
  }

  /** Those that arrived in a time, its ends included. */
  Requests between(long firstMillis, long lastMillis) {
    Map<Long, Requests> then = byMillis.subMap(firstMillis, true, lastMillis, true);
    return then.values().stream().reduce(Requests.NONE, Requests::plus);
  }

  private static Requests count(S3Request request) {
    boolean staged =
        request
            .copySource()
            .filter(key -> key.contains("/_temporary/") || key.contains("/.spark-staging-"))
            .isPresent();
    return new Requests(
        1,
        number(request.type().isCopy()),
        number(staged),
        number(request.key().contains("/_zerorename/")));
  }

  private static long number(boolean is) {
    return is ? 1 : 0;
  }
}
