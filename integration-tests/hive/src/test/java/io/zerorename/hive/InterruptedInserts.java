package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.ZeroRename;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** Tables, and INSERTs that end behind their decision, before their files are visible. */
final class InterruptedInserts {
  private final HiveOnS3 s3;

  InterruptedInserts(HiveOnS3 s3) {
    this.s3 = s3;
  }

  /** Makes a table {@code (a int)} in ORC whose files Hive deletes with it. */
  void create(String table) throws Exception {
    create(table, "(a int) stored as orc");
  }

  /** The same with the row 1, by {@code insert into … values (1)}. */
  void createWithRow(String table) throws Exception {
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
  }

  void create(String table, String definition) throws Exception {
    create(table, definition, table);
  }

  void create(String table, String definition, String directory) throws Exception {
    s3.hive()
        .execute(
            "create external table %s %s location 's3a://warehouse/%s' tblproperties ('external.table.purge'='true')"
                .formatted(table, definition, directory));
  }

  /** Statements that write rows are not the committer's from now on. */
  void withHivesOwnPath() {
    s3.hive().set("hive.merge.tezfiles", "true");
  }

  /** Resumes whatever could be resumed. */
  void insertLater(String table, String statement) throws Exception {
    s3.hive().execute(statement);
    s3.awaitBackgroundWork();
    assertNothingIsOpen(table);
  }

  /** Runs an INSERT whose files are uploaded, and cannot be completed. */
  void run(String statement, String table) {
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    s3.faults(
        always(
            typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, table + "/"), Fault.accessDenied()));
    fail(statement);
  }

  /**
   * Runs an INSERT that ends behind its decision, because of a fault that there is until then.
   * Later statements complete it at once.
   */
  void fail(String statement) {
    s3.hive().set(CoreKeys.RECOVERY_PATIENCE.name(), "0");
    s3.failure(statement);
    s3.faults(FaultRule.NONE);
    assertThat(s3.hive().console()).contains("is committed, but could not be completed");
  }

  /** What the command line says with the session's settings. */
  String command(String line) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, UTF_8);
    new ZeroRename(() -> s3.hive().conf(), out, out).run(line.split(" "));
    return said.toString(UTF_8);
  }

  /** Asserts the values of column {@code a}, by its rows and by their number. */
  void assertRows(String table, String... rows) throws Exception {
    assertThat(s3.hive().execute("select a from " + table))
        .containsExactlyInAnyOrderElementsOf(List.of(rows));
    assertThat(s3.hive().execute("select count(*) from " + table))
        .containsExactly(Integer.toString(rows.length));
  }

  /** Asserts that nothing is left to be done for a table, now or by a later statement. */
  void assertNothingIsOpen(String table) {
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }
}
