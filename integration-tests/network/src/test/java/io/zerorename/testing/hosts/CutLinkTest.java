package io.zerorename.testing.hosts;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.network.Network;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two drivers on hosts of their own, and S3 on a third. The link of one is cut at a step of its
 * commit, while the other writes to the same table. No packet says that it is cut.
 */
@Tag("thorough")
@ExtendWith(NetworkCondition.class)
final class CutLinkTest {
  /** With all settings as they are by default. */
  private static final String BY_DEFAULT = "unchanged";

  /** With requests that are given up after 15 seconds, the least that S3A takes. */
  private static final String PROMPT = "prompt";

  private static final Duration RETRY_TIME = Duration.ofMinutes(2);

  /** Longer than the time-outs of {@link #PROMPT} for a request and for a connection. */
  private static final Duration OUTAGE = Duration.ofSeconds(40);

  private static final Pattern ENTRY = Pattern.compile("/log/_\\d{12}$");
  private static final Pattern ENDED =
      Pattern.compile("/log/_(\\d{12})\\.ended\\.[a-z]+\\.([a-z]+)\\.");

  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir private static Path directory;

  private static S3OnNetwork s3;
  private static Network.Host host;
  private static Driver one;
  private static Driver other;

  private final String table = "t" + TABLES.incrementAndGet();

  /** What statements have written, in the order of the log. */
  private final List<Long> rows = new ArrayList<>();

  private String bucket = BY_DEFAULT;

  @BeforeAll
  static void start() throws Exception {
    s3 = S3OnNetwork.start();
    host = s3.addHost();
    one = driver(host, "one");
    other = driver(s3.addHost(), "other");
    for (String bucket : List.of(BY_DEFAULT, PROMPT)) {
      s3.createBucket(bucket);
      String statement = "CREATE DATABASE %s LOCATION 's3a://%s/db'".formatted(bucket, bucket);
      for (Driver driver : List.of(one, other)) {
        driver.begin(statement).succeeds();
      }
    }
  }

  private static Driver driver(Network.Host host, String name) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    String prefix = "spark.hadoop.fs.s3a.bucket." + PROMPT + ".connection.";
    settings.put(prefix + "timeout", "15s");
    settings.put(prefix + "establish.timeout", "15s");
    return Driver.start(host, s3.access(), directory.resolve(name), settings);
  }

  @AfterAll
  static void stop() throws IOException {
    // This first: it kills what runs on the hosts.
    if (s3 != null) {
      s3.close();
    }
  }

  @AfterEach
  void heal() throws IOException {
    host.heal();
    s3.faults(FaultRule.NONE);
  }

  /** A statement that changes the table. */
  enum Change {
    APPEND("add", "INSERT INTO %s SELECT id FROM range(%s, %s, 1, 3)"),
    OVERWRITE("replace", "INSERT OVERWRITE %s SELECT id FROM range(%s, %s, 1, 3)"),
    TRUNCATE("replace", "TRUNCATE TABLE %s");

    private final String kind;
    private final String statement;

    Change(String kind, String statement) {
      this.kind = kind;
      this.statement = statement;
    }

    void apply(List<Long> rows, long from) {
      if (this != APPEND) {
        rows.clear();
      }
      if (this != TRUNCATE) {
        LongStream.range(from, from + 30).forEach(rows::add);
      }
    }
  }

  /** A place in a commit: the n-th request of a type. */
  enum Step {
    READ(LIST_OBJECTS_V2, "/log/", 1),
    DECISION(PUT_OBJECT, "/log/", 1),
    SECOND_FILE(COMPLETE_MULTIPART_UPLOAD, "", 2),
    END(PUT_OBJECT, "/log/", 2);

    private final RequestType type;
    private final String place;
    private final int nth;

    Step(RequestType type, String place, int nth) {
      this.type = type;
      this.place = place;
      this.nth = nth;
    }

    private boolean isOneOf(S3Request request) {
      return request.client().equals(host.address())
          && request.type() == type
          && request.prefix().orElse(request.key()).contains(place);
    }
  }

  /** What becomes of the request at which a link is cut. */
  enum Loss {
    /** It never comes, and the server forgets the connection. */
    REQUEST,
    /** It has its effect, and the server forgets the connection. */
    ANSWER,
    /** It has its effect. The answer comes when the link is there again. */
    NONE
  }

  /** What happens to a link. */
  private interface Event {
    void happens() throws IOException;
  }

  /** Lets something happen to the link at a step, once. */
  private static final class Mishap implements FaultRule {
    private final CountDownLatch done = new CountDownLatch(1);
    private final Event event;
    private final Loss loss;
    private final FaultRule rule;

    Mishap(Step step, Loss loss, Event event) {
      this.event = event;
      this.loss = loss;
      Predicate<S3Request> due = step::isOneOf;
      Fault fault =
          switch (loss) {
            case REQUEST -> Fault.cutBeforeForwarding();
            case ANSWER -> Fault.runInsteadOfAnswer(this::happens);
            case NONE -> new Fault.RunBeforeAnswer(this::happens);
          };
      this.rule = FaultRule.nth(step.nth, due, fault);
    }

    @Override
    public Optional<Fault> on(S3Request request) {
      Optional<Fault> fault = rule.on(request);
      if (fault.isPresent() && loss == Loss.REQUEST) {
        happens();
      }
      return fault;
    }

    private void happens() {
      try {
        event.happens();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      done.countDown();
    }

    void await() throws InterruptedException {
      assertThat(done.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS))
          .as("the step came")
          .isTrue();
    }
  }

  private Driver.Running begin(Driver driver, Change change, long from) {
    return driver.begin(change.statement.formatted(name(), from, from + 30));
  }

  private String name() {
    return bucket + "." + table;
  }

  private void createTable(String bucket) throws Exception {
    this.bucket = bucket;
    for (Driver driver : List.of(one, other)) {
      driver.begin("CREATE TABLE " + name() + " (id BIGINT) USING csv").succeeds();
    }
    begin(other, Change.APPEND, 0).succeeds();
    Change.APPEND.apply(rows, 0);
  }

  /** Begins a statement on the host whose link is not as it should be from a step on. */
  private Driver.Running interrupt(Change change, Step step, Loss loss, Event event)
      throws InterruptedException {
    Mishap mishap = new Mishap(step, loss, event);
    s3.faults(mishap);
    Driver.Running running = begin(one, change, 1_000);
    mishap.await();
    return running;
  }

  private static Stream<Arguments> cuts() {
    List<Arguments> all = new ArrayList<>();
    for (Step step : Step.values()) {
      for (Loss loss : Loss.values()) {
        Change change = all.size() % 2 == 0 ? Change.APPEND : Change.OVERWRITE;
        Change meanwhile = Change.values()[(step.ordinal() + loss.ordinal()) % 3];
        all.add(Arguments.of(step, loss, change, meanwhile));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("cuts")
  void whatIsWrittenMeanwhileHasItsPlaceInTheLog(
      Step step, Loss loss, Change change, Change meanwhile) throws Exception {
    createTable(BY_DEFAULT);
    Driver.Running interrupted = interrupt(change, step, loss, host::cut);

    begin(other, meanwhile, 2_000).succeeds();
    host.heal();
    long healed = System.nanoTime();
    interrupted.succeeds();

    assertThat(since(healed)).isLessThan(RETRY_TIME);
    boolean decided = step != Step.READ && !(step == Step.DECISION && loss == Loss.REQUEST);
    boolean open = decided && !(step == Step.END && loss != Loss.REQUEST);
    List<String> kinds = new ArrayList<>(List.of(Change.APPEND.kind));
    if (decided) {
      change.apply(rows, 1_000);
      kinds.add(change.kind);
    }
    meanwhile.apply(rows, 2_000);
    if (meanwhile != Change.TRUNCATE || open) {
      kinds.add(meanwhile.kind);
    }
    if (!decided) {
      change.apply(rows, 1_000);
      kinds.add(change.kind);
    }
    assertThat(kinds()).isEqualTo(kinds);
    assertRowsAndNothingLeft();
  }

  private static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  private void assertRowsAndNothingLeft() {
    assertThat(S3OnNetwork.rows(contents(), table)).isEqualTo(rows.stream().sorted().toList());
    assertThat(contents().pendingUploads("")).isEmpty();
    assertThat(kinds()).as("entries that have ended").hasSize((int) records(ENTRY).count());
  }

  /** Until requests of the host were given up, and new connections could not be made. */
  @ParameterizedTest
  @EnumSource
  void aLinkThatIsDownForLongIsWaitedFor(Way way) throws Exception {
    createTable(PROMPT);
    Driver.Running interrupted =
        interrupt(Change.OVERWRITE, Step.SECOND_FILE, Loss.NONE, way::fails);
    long begin = System.nanoTime();
    begin(other, Change.APPEND, 2_000).succeeds();
    TimeUnit.NANOSECONDS.sleep(OUTAGE.minus(since(begin)).toNanos());
    host.heal();
    interrupted.succeeds();

    Change.OVERWRITE.apply(rows, 1_000);
    Change.APPEND.apply(rows, 2_000);
    assertRowsAndNothingLeft();
  }

  /** In which a link fails. */
  enum Way {
    BOTH,
    TO_THE_HOST,
    FROM_THE_HOST;

    private void fails() throws IOException {
      switch (this) {
        case BOTH -> host.cut();
        case TO_THE_HOST -> host.cutIncoming();
        case FROM_THE_HOST -> host.cutOutgoing();
      }
    }
  }

  @Test
  void aLinkThatIsSlowHoldsUpNobodyElse() throws Exception {
    createTable(BY_DEFAULT);
    Driver.Running slow =
        interrupt(Change.APPEND, Step.DECISION, Loss.NONE, () -> host.crawl(2_000));
    begin(other, Change.OVERWRITE, 2_000).succeeds();
    assertThat(slow.isDone()).isFalse();
    host.heal();
    slow.succeeds();

    Change.OVERWRITE.apply(rows, 2_000);
    assertRowsAndNothingLeft();
  }

  private BucketContents contents() {
    return s3.bucket(bucket);
  }

  /** The kinds of all entries of the log that have ended, in the order of the entries. */
  private List<String> kinds() {
    return records(ENDED)
        // One that was followed may have two markers.
        .map(it -> it.group(1) + it.group(2))
        .distinct()
        .map(it -> it.replaceAll("\\d", ""))
        .toList();
  }

  /** The names of a log count down. */
  private Stream<MatchResult> records(Pattern name) {
    return contents().files("").stream()
        .filter(key -> key.contains("/" + table + "-"))
        .sorted(Comparator.reverseOrder())
        .flatMap(key -> name.matcher(key).results());
  }
}
