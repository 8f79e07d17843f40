package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.net.LossyProxy;
import io.zerorename.testing.net.Mishap;
import io.zerorename.testing.net.MishapRule;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An overwriting job through S3A over a network on which one exchange goes wrong: whatever is told
 * of it, content is never wrong, and no old file is lost before all new ones are there.
 */
class LossyNetworkTest {
  private static final Logger LOG = LoggerFactory.getLogger(LossyNetworkTest.class);

  /**
   * For an answer that comes too late or not at all. A busy server needs less for the others, and
   * S3A takes no shorter one.
   */
  private static final Duration SHORT_WAIT = Duration.ofSeconds(15);

  private static final Duration LONG_WAIT = Duration.ofMinutes(1);

  /** When the client has given up, and has asked what became of its request. */
  private static final Duration LATER = SHORT_WAIT.plusSeconds(2);

  private static final long GIVE_UP_SECONDS = 120;

  private static EmbeddedS3Server server;
  private static BucketContents contents;

  @TempDir java.nio.file.Path workDir;
  private LossyProxy network;

  /** The requests whose failure could do harm, as their first bytes show them. */
  enum Request {
    CREATE("POST \\S+\\?uploads\\b"),
    UPLOAD_PART("PUT \\S+[?&]partNumber="),
    ENTRY("PUT \\S+/log/_\\d{12}[ ?]"),
    MARKER("PUT \\S+/log/_\\d{12}\\.ended\\."),
    COMPLETE("POST \\S+\\?uploadId="),
    BULK_DELETE("POST \\S+\\?delete\\b");

    private final Pattern firstBytes;

    Request(String firstBytes) {
      this.firstBytes = Pattern.compile(firstBytes);
    }

    Predicate<MishapRule.Exchange> exchanges() {
      Predicate<MishapRule.Exchange> head =
          exchange -> firstBytes.matcher(exchange.firstBytes()).lookingAt();
      return firstBytes.pattern().startsWith("PUT") ? after(head) : head;
    }

    /** The SDK sends a body after "100 Continue", so that it is an exchange of its own. */
    private static Predicate<MishapRule.Exchange> after(Predicate<MishapRule.Exchange> head) {
      Map<Integer, Integer> heads = new ConcurrentHashMap<>();
      return exchange -> {
        if (head.test(exchange)) {
          heads.put(exchange.connection(), exchange.number());
        }
        return exchange.number() - 1 == heads.getOrDefault(exchange.connection(), -1);
      };
    }
  }

  enum Trouble {
    DROPPED,
    RESET,
    LATE,
    ANSWER_LOST,
    ANSWER_CUT_IN_HEAD,
    ANSWER_CUT_IN_BODY,
    ANSWER_RESET,
    ANSWER_SWALLOWED,
    ANSWER_REPEATED;

    boolean losesAnAnswer() {
      return this != DROPPED && this != RESET;
    }

    /** Whether the client waits until its time is over. */
    boolean isSilent() {
      return this == LATE || this == ANSWER_SWALLOWED;
    }

    Duration clientWaits() {
      return isSilent() ? SHORT_WAIT : LONG_WAIT;
    }

    Mishap mishap() {
      return switch (this) {
        case DROPPED -> new Mishap.Drop();
        case RESET -> new Mishap.Reset();
        case LATE -> new Mishap.Delay(LATER);
        case ANSWER_LOST -> new Mishap.CutAnswer(0);
        case ANSWER_CUT_IN_HEAD -> new Mishap.CutAnswer(20);
        case ANSWER_CUT_IN_BODY -> new Mishap.CutAnswer(200);
        case ANSWER_RESET -> new Mishap.ResetAnswer(20);
        case ANSWER_SWALLOWED -> new Mishap.SwallowAnswer();
        case ANSWER_REPEATED -> new Mishap.RepeatAnswer();
      };
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(TestJob.TABLE.toUri().getAuthority());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void connect() throws IOException {
    network =
        LossyProxy.start(
            new InetSocketAddress(server.endpoint().getHost(), server.endpoint().getPort()));
  }

  @AfterEach
  void disconnect() throws IOException {
    network.close();
  }

  /** Each request, and each trouble but one, in turn. */
  static Stream<Arguments> someOfThem() {
    return requestsInTrouble(true);
  }

  static Stream<Arguments> allOthers() {
    return requestsInTrouble(false);
  }

  private static Stream<Arguments> requestsInTrouble(boolean some) {
    List<Arguments> pairs = new ArrayList<>();
    int turn = 0;
    for (Request request : Request.values()) {
      int trouble = turn++;
      for (Trouble each : Trouble.values()) {
        // To wait for an answer that does not come takes long, so that one of those is enough.
        boolean chosen = trouble++ % 3 == 0 && (!each.isSilent() || request == Request.COMPLETE);
        if (some == chosen) {
          pairs.add(Arguments.of(request, each));
        }
      }
    }
    return pairs.stream();
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("allOthers")
  void theResultOfEachOtherPairIsOldOrNewOrCanBeCarriedToItsEnd(Request request, Trouble trouble)
      throws Exception {
    theResultIsOldOrNewOrCanBeCarriedToItsEnd(request, trouble);
  }

  /** S3A repeats nothing, so that the committer alone has to cope. */
  @ParameterizedTest
  @MethodSource("someOfThem")
  void theResultIsOldOrNewOrCanBeCarriedToItsEnd(Request request, Trouble trouble)
      throws Exception {
    try (OverwritingJob job = jobThatRepeats(0, trouble)) {
      network.rule(MishapRule.first(1, request.exchanges(), trouble.mishap()));
      boolean tasksDone = false;
      try {
        job.runTasks();
        tasksDone = true;
        job.commit();
        awaitLateExchanges();
        job.assertAllIsNew();
        job.assertNothingIsPending();
      } catch (CommitStateUnknownException e) {
        LOG.info("{} {} ends unknown", request, trouble, e);
        assertThat(e).hasMessageContaining("committed");
        job.assertOldIsThereUnlessAllIsNew();
        awaitLateExchanges();
        job.assertOldIsThereUnlessAllIsNew();
        job.restart();
        job.commit();
        job.assertAllIsNew();
        job.assertNothingIsPending();
      } catch (IOException e) {
        LOG.info("{} {} fails", request, trouble, e);
        job.restart();
        if (tasksDone && !(e instanceof CommitFailedException)) {
          // The job was committed, and what failed is the note that nothing is left to do.
          assertThat(e).hasMessageContaining("/log/");
          job.assertAllIsNew();
          job.commit();
          job.assertAllIsNew();
          job.assertNothingIsPending();
          return;
        }
        assertThat(e).hasMessageContaining(tasksDone ? "db.t" : "s3a://bucket/warehouse/t/");
        awaitLateExchanges();
        job.assertAllIsOld();
        job.abort();
      }
      assertThat(network.struck()).isEqualTo(1);
    }
  }

  /**
   * As users have it: S3A repeats what failed on the way. It does not repeat where an answer is cut
   * in its body, so that the task attempt fails, or where an answer belongs to another request.
   */
  @Tag("thorough")
  @ParameterizedTest
  @EnumSource(
      value = Trouble.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ANSWER_CUT_IN_BODY", "ANSWER_REPEATED"})
  void oneTroubleOfEachRequestIsNotNoticedWhereS3aRepeats(Trouble trouble) throws Exception {
    List<MishapRule> rules =
        Stream.of(Request.values())
            .map(request -> MishapRule.first(1, request.exchanges(), trouble.mishap()))
            .toList();
    try (OverwritingJob job = jobThatRepeats(3, trouble)) {
      network.rule(
          exchange -> rules.stream().flatMap(rule -> rule.on(exchange).stream()).findFirst());
      job.runTasks();
      job.commit();
      awaitLateExchanges();
      job.assertAllIsNew();
      if (trouble.losesAnAnswer()) {
        // S3A repeats a Create that took effect, and tells nobody of it: the first upload's id is
        // known to none, and only the bucket's lifecycle rule removes it.
        job.assertOneUploadOfTheFirstFileIsPending();
      } else {
        job.assertNothingIsPending();
      }
      assertThat(network.struck()).isEqualTo(Request.values().length);
    }
  }

  private OverwritingJob jobThatRepeats(int times, Trouble trouble) throws IOException {
    Map<String, String> settings = new HashMap<>(server.hadoopSettings());
    settings.put("fs.s3a.endpoint", "http://127.0.0.1:" + network.address().getPort());
    settings.put("fs.s3a.attempts.maximum", Integer.toString(times));
    settings.put("fs.s3a.connection.timeout", trouble.clientWaits().toMillis() + "ms");
    return new OverwritingJob(
        OverwritingJob.Opener.BESIDE,
        contents,
        FileSystem.getLocal(new Configuration(false)),
        workDir,
        settings);
  }

  /** Until everything that was held up has reached the server and been answered. */
  private void awaitLateExchanges() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);
    while (network.inMotion() > 0) {
      assertThat(System.nanoTime()).as("an exchange did not end").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
