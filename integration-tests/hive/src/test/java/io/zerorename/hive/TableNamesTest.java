package io.zerorename.hive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.cli.ZeroRename;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Commands that take a table's name in place of its location, with a real metastore. */
class TableNamesTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();
  private final InterruptedInserts inserts = new InterruptedInserts(s3);

  @Test
  void aNameStandsForTheTablesLocation() throws Exception {
    inserts.create("named");
    inserts.run("insert into named values (1)", "named");

    Run status = run("status", "default.named");
    assertThat(status.code()).as(status.err()).isEqualTo(1);
    assertThat(status.out())
        .contains("committed, open", "s3a://warehouse/named")
        .contains("committed, not complete");
    assertThat(run("status", "default.named").out()).contains("INSERT INTO default.named");
    assertThat(run("uploads", "DEFAULT.named").out()).contains("1 pending upload");
    assertThat(run("recover", "--without-metastore", "default.named").code()).isZero();
    assertThat(run("status", "default.named").out())
        .startsWith("No commit is open at or below default.named; it has 1 commit log.");
    assertThat(run("verify", "default.named").err())
        .contains("s3a://warehouse/named/_SUCCESS does not exist");
    inserts.assertNothingIsOpen("named");
  }

  @Test
  void partitionsOutsideOfTheTableAreIncluded() throws Exception {
    s3.createPartitioned("named_parted");
    s3.addPartition("named_parted", "p=1", "s3a://warehouse/of_named_parted/one");
    s3.hive().set("zerorename.inline.max.bytes", "0");
    s3.faults(
        FaultRule.always(
            FaultRule.type(RequestType.COMPLETE_MULTIPART_UPLOAD), Fault.accessDenied()));
    for (int p : List.of(1, 2)) {
      String insert = "insert into named_parted partition (p=%s) values (10)".formatted(p);
      s3.failure(insert);
    }
    s3.faults(FaultRule.NONE);

    List<String> uploads = new ArrayList<>();
    for (JsonNode upload : run("uploads", "--json", "default.named_parted").uploads()) {
      uploads.add(
          upload.path("path").asText().replaceFirst("/[^/]*$", "")
              + " "
              + upload.path("state").asText());
    }
    assertThat(uploads)
        .containsExactlyInAnyOrder(
            "s3a://warehouse/named_parted/p=2 committed",
            "s3a://warehouse/of_named_parted/one committed");
    assertThat(run("recover", "--without-metastore", "s3a://warehouse/named_parted").out())
        .as("without the name")
        .contains("Its plan names s3a://warehouse/of_named_parted");
    Run recovered = run("recover", "--without-metastore", "default.named_parted");
    assertThat(recovered.code()).as(recovered.out() + recovered.err()).isZero();
    assertThat(s3.bucket().pendingUploads("named_parted/")).isEmpty();
    assertThat(s3.bucket().pendingUploads("of_named_parted/")).isEmpty();
    assertThat(s3.bucket().files("of_named_parted/one/")).hasSize(1);
  }

  @Test
  void whatIsNotThereIsAnErrorOfTheUser() throws Exception {
    s3.hive().execute("create database if not exists named_other");
    s3.hive().execute("create table if not exists named_other.on_disk (a int)");
    s3.hive().execute("create view if not exists named_other.v as select 1");
    for (List<String> typed :
        List.of(
            List.of("status", "default.no_such", "there is no table default.no_such"),
            List.of("recover", "no_such.t", "there is no table no_such.t"),
            List.of("recover", "named_other.v", "is a view"),
            List.of("uploads", "named_other.on_disk", "which is not on S3A"))) {
      List<String> words = new ArrayList<>(List.of(typed.get(0).split(" ")));
      words.add(typed.get(1));
      Run run = run(words.toArray(String[]::new));
      assertThat(run.code()).as(typed + run.err()).isEqualTo(2);
      assertThat(run.err()).hasLineCount(1).contains(typed.get(2));
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void withoutMetastoreNoneIsMade() {
    Configuration empty = new Configuration(false);
    empty.set(
        "javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=metastore_db;create=true");
    assertThatThrownBy(() -> TableLocations.find("default.t", empty))
        .hasMessageContaining("hive.metastore.uris");
    assertThat(Path.of("metastore_db")).doesNotExist();
  }

  @Test
  void metastoreThatDoesNotAnswerIsNoFaultOfTheUser() throws Exception {
    Configuration conf = new Configuration(s3.hive().conf());
    try (ServerSocket port = new ServerSocket(0)) {
      conf.set("hive.metastore.uris", "thrift://127.0.0.1:" + port.getLocalPort());
    }
    conf.set("hive.metastore.connect.retries", "1");
    conf.set("hive.metastore.client.connect.retry.delay", "0s");
    Run run = run(conf, "status", "default.t");
    assertThat(run.code()).isEqualTo(4);
    assertThat(run.err()).hasLineCount(1).contains("the metastore does not answer");
  }

  private record Run(int code, String out, String err) {
    JsonNode uploads() throws Exception {
      return new ObjectMapper().readTree(out).path("uploads");
    }
  }

  /** On a thread of its own, because the session of the other tests belongs to this one. */
  private Run run(String... arguments) throws Exception {
    return run(s3.hive().conf(), arguments);
  }

  private static Run run(Configuration conf, String... arguments) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    ZeroRename program =
        new ZeroRename(
            () -> conf, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
    FutureTask<Integer> task = new FutureTask<>(() -> program.run(arguments));
    new Thread(task, "zerorename").start();
    return new Run(task.get(), out.toString(UTF_8), err.toString(UTF_8));
  }
}
