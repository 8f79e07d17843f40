package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.cli.ZeroRename;
import io.zerorename.core.commit.JobCommit;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Neither the secret key nor the session token is in anything that a job writes or says. */
class SecretsTest {
  private static final String OUT = "out";
  private static final String SECRET = "hush-this-is-the-secret-key";
  private static final String TOKEN = "hush-this-is-the-session-token";
  private static final Logger OURS = Logger.getLogger("io.zerorename");

  @TempDir File directory;

  private final LogText log = new LogText();
  private final StringWriter errors = new StringWriter();
  private EmbeddedS3Server server;
  private TestCluster cluster;
  private WordCount job;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedS3Server.startTakingEncryption();
    cluster = TestCluster.on(server, new File(directory, "cluster")).withCommitter();
    job = new WordCount(directory.toPath().resolve("input"));
    OURS.setLevel(Level.DEBUG);
    Logger.getRootLogger().addAppender(log);
  }

  @AfterEach
  void stop() throws IOException {
    Logger.getRootLogger().removeAppender(log);
    OURS.setLevel(null);
    cluster.close();
    server.close();
  }

  @Test
  void noSecretIsInLogsRecordsErrorsOrOnS3() throws Exception {
    Configuration conf = temporaryCredentials();
    job.runV2(conf, cluster.s3(OUT), 2);
    assertThat(log.text()).contains("zero-rename: committed the output of job_");

    server
        .gateway()
        .faults(
            always(
                typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, "failed/part-"),
                Fault.accessDenied()));
    assertThatThrownBy(() -> job.runV2(conf, cluster.s3("failed"), 1))
        .satisfies(e -> e.printStackTrace(new PrintWriter(errors)));
    server.gateway().faults(always(request -> true, Fault.refuse(403, "SignatureDoesNotMatch")));
    assertThatThrownBy(() -> job.runV2(conf, cluster.s3("refused"), 1))
        .satisfies(e -> e.printStackTrace(new PrintWriter(errors)));
    errors.append(recover(conf, "refused"));
    server.gateway().faults(FaultRule.NONE);
    errors.append(recover(conf, "failed"));

    assertThat(log.text() + errors).contains("AccessDenied", "SignatureDoesNotMatch");
    assertThat(Logger.getLogger(JobCommit.class).isDebugEnabled()).as("log level").isTrue();
    for (String secret : List.of(SECRET, TOKEN)) {
      assertThat(log.text()).as("log").doesNotContain(secret);
      assertThat(errors.toString()).as("errors and console").doesNotContain(secret);
      for (Path file : records()) {
        assertThat(Files.readString(file, ISO_8859_1)).as("record %s", file).doesNotContain(secret);
      }
      for (String key : cluster.bucket().files("")) {
        assertThat(cluster.text(key)).as(key).doesNotContain(secret);
      }
    }
  }

  private Configuration temporaryCredentials() {
    Configuration conf = cluster.conf();
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider");
    conf.set("fs.s3a.access.key", EmbeddedS3Server.ACCESS_KEY);
    conf.set("fs.s3a.secret.key", SECRET);
    conf.set("fs.s3a.session.token", TOKEN);
    conf.set("fs.s3a.attempts.maximum", "0");
    conf.set("zerorename.work.dir", cluster.local("records"));
    return conf;
  }

  /** What the command says about the commits at a destination, and how it fails. */
  private String recover(Configuration conf, String destination) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      new ZeroRename(() -> new Configuration(conf), out, out)
          .run("recover", "--verbose", cluster.s3(destination).toString());
    }
    return said.toString(UTF_8);
  }

  /** What jobs have left of records. */
  private List<Path> records() throws IOException {
    try (Stream<Path> records = Files.walk(Path.of(cluster.local("records")))) {
      List<Path> files = records.filter(Files::isRegularFile).toList();
      assertThat(files).isNotEmpty();
      return files;
    }
  }

  /** All that is logged, with stack traces. */
  private static final class LogText extends AppenderSkeleton {
    private final StringBuilder text = new StringBuilder();

    synchronized String text() {
      return text.toString();
    }

    @Override
    protected synchronized void append(LoggingEvent event) {
      text.append(event.getLevel())
          .append(' ')
          .append(event.getLoggerName())
          .append(": ")
          .append(event.getRenderedMessage())
          .append('\n');
      if (event.getThrowableStrRep() != null) {
        text.append(String.join("\n", event.getThrowableStrRep())).append('\n');
      }
    }

    @Override
    public void close() {}

    @Override
    public boolean requiresLayout() {
      return false;
    }
  }
}
