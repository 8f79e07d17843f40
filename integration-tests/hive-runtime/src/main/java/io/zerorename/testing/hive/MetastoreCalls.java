package io.zerorename.testing.hive;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.IHMSHandler;
import org.apache.hadoop.hive.metastore.RetryingHMSHandler;
import org.apache.hadoop.hive.metastore.api.MetaException;

/**
 * Hive's own entry to a metastore in the same JVM, which also notes when it was called. Hive makes
 * it by reflection, for every session, so the notes are the JVM's.
 */
public final class MetastoreCalls extends RetryingHMSHandler {
  /** The settings by which a session uses this. */
  public static final Map<String, String> SETTINGS =
      Map.of("hive.metastore.hmshandler.proxy", MetastoreCalls.class.getName());

  private static final Queue<Call> CALLS = new ConcurrentLinkedQueue<>();

  /**
   * A call by a client, from its begin to its end.
   *
   * @param method of the metastore's interface
   */
  public record Call(String method, Instant begin, Instant end) {}

  /** For Hive. */
  public MetastoreCalls(Configuration conf, IHMSHandler handler, boolean local)
      throws MetaException {
    super(conf, handler, local);
  }

  /** Forgets all calls up to now. */
  public static void forget() {
    CALLS.clear();
  }

  /** The calls that ended since the last {@link #forget}. */
  public static List<Call> all() {
    return List.copyOf(CALLS);
  }

  /** For how long at least one of some calls was under way between two instants. */
  public static Duration within(Instant begin, Instant end, List<Call> calls) {
    Duration sum = Duration.ZERO;
    Instant counted = begin;
    for (Call call : calls.stream().sorted(Comparator.comparing(Call::begin)).toList()) {
      Instant from = call.begin().isAfter(counted) ? call.begin() : counted;
      Instant to = call.end().isBefore(end) ? call.end() : end;
      if (from.isBefore(to)) {
        sum = sum.plus(Duration.between(from, to));
        counted = to;
      }
    }
    return sum;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    Instant begin = Instant.now();
    try {
      return super.invoke(proxy, method, arguments);
    } finally {
      CALLS.add(new Call(method.getName(), begin, Instant.now()));
    }
  }
}
