package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code zerorename recover} says where it cannot look, and whose commit it gives up. */
@Tag("stores")
class RecoverCommandTest extends OnTable {
  @Test
  void aLongOneSaysHowFarItIs() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");
    bucket.faults(
        FaultRule.always(
            FaultRule.typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, broken.key("b")),
            Fault.delay(Duration.ofSeconds(3))));

    CommandLineRun run =
        bucket.run("recover", "-D", CoreKeys.PROGRESS_INTERVAL.name() + "=1", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).contains("it is complete now").doesNotContain("files are visible");
    assertThat(run.err()).contains("zerorename: 1 of 2 files are visible");
  }

  /** Also where a commit is open below the path, of which its own log says nothing. */
  @Test
  void aPathWithoutALogIsAnError() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    for (String path : List.of("", "db", "db/tt", "dv/t", "d/b/t")) {
      CommandLineRun run = bucket.run("recover", "--json", bucket.path(path).toString());
      assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.errorLines())
          .singleElement()
          .asString()
          .contains("No commit log of " + bucket.path(path))
          .endsWith("zerorename status " + bucket.path("") + " shows all of the bucket.");
    }
    assertThat(bucket.run("recover", table).out()).contains("it is complete now");
    assertThat(bucket.contents().files("db/t/"))
        .containsExactlyInAnyOrder(broken.key("a"), broken.key("b"));
  }

  /** Its _SUCCESS names no file: verify takes them from the log. */
  @Test
  void aJobOfMapReduceIsVerifiedAfterItsRecoveryAndItsPartitionsAreLeftToTheCatalog()
      throws Exception {
    WrittenJob broken =
        new WrittenJob(bucket, "p=1/a", "p=2/b").ofMapReduce().commitWithout("p=2/b");

    CommandLineRun run = bucket.run("recover", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out().lines().skip(1))
        .containsExactly(
            "  If a catalog has it as a table with partitions, run MSCK REPAIR TABLE, which"
                + " registers new ones.");
    CommandLineRun verified = bucket.run("verify", table);
    assertThat(verified.exitCode()).as(verified.out()).isEqualTo(ExitCode.OK.number());
    assertThat(verified.out().lines()).containsExactly("2 objects are as they were written.");
    bucket.contents().clear(broken.key("p=2/b"));
    assertThat(bucket.run("verify", table).out())
        .contains(broken.path("p=2/b") + " is not there", "1 of 2 objects is not as written.");
  }

  @Test
  void aDryRunSaysWhatWouldBeDoneAndChangesNothing() throws Exception {
    WrittenJob old = new WrittenJob(bucket, "o").commit();
    WrittenJob broken = new WrittenJob(bucket, "a", "b").replacing().commitWithout("b");

    List<String> before = bucket.contents().files("");
    CommandLineRun alive = bucket.run("recover", "--dry-run", table);
    assertThat(alive.out())
        .contains("Entry 2, job " + broken.id() + ", INSERT OVERWRITE of db.t: would");

    CommandLineRun run = bucket.run("recover", "--dry-run", "--json", table + "/p=1");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.json().at("/commits/0/result").asText()).isEqualTo("would-refuse");
    assertThat(run.json().at("/commits/0/message").asText())
        .endsWith(" The command for it: zerorename recover " + table);
    run = bucket.run("recover", table + "/p=1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out()).endsWith(": name that path, zerorename recover " + table + "\n");
    run = bucket.run("recover", "--dry-run", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    JsonNode commit = run.json().path("commits").path(0);
    assertThat(commit.path("result").asText()).isEqualTo("would-complete");
    assertThat(commit.path("message").asText())
        .contains("would be completed: up to 2 uploads completed, those of files that are not")
        .endsWith("; then up to 1 old object deleted, those that are unchanged.");
    assertThat(bucket.contents().files("")).isEqualTo(before).contains(old.key("o"));

    assertThat(bucket.run("recover", "--dry-run", "--give-up", table).exitCode())
        .isEqualTo(ExitCode.USAGE.number());
    assertThat(bucket.run("recover", table).out()).contains("it is complete now");
    assertThat(bucket.run("recover", "--dry-run", table).exitCode())
        .isEqualTo(ExitCode.OK.number());
  }

  @Test
  void whoNamesAPartitionThatIsNotInItsTableLearnsWhoseCommitsItHas() throws Exception {
    String partition = bucket.path("elsewhere/p=1").toString();
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    CommandLineRun run = bucket.run("recover", partition);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err()).contains(RecoveryRun.COMMITS_ELSEWHERE);

    CommandLineRun meant = bucket.run("recover", "--give-up", "--job", broken.id(), partition);
    assertThat(meant.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(meant.err()).contains("open there are none. " + RecoveryRun.COMMITS_ELSEWHERE);

    assertThat(bucket.run("recover", "--also", partition, table).out())
        .contains("it is complete now")
        .doesNotContain(RecoveryRun.COMMITS_ELSEWHERE);
  }

  /** As with the rights of security.md for one table alone. */
  @Test
  void whoMayListTheOwnLogAloneIsToldThatNothingIsOpen() throws Exception {
    new WrittenJob(bucket, "a").commit();
    bucket.refuse(request -> request.prefix().orElse("").endsWith("/t-"));
    CommandLineRun run = bucket.run("recover", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out()).isEqualTo("No commit is open at " + table + ".\n");
  }

  @Test
  void aLogAboveThatMustNotBeReadIsNamedAndStopsNothing() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    bucket.refuse(request -> request.prefix().orElse(request.key()).startsWith("_zerorename"));
    CommandLineRun run = bucket.run("recover", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.json().path("commits").path(0).path("job").asText()).isEqualTo(broken.id());
    assertThat(run.json().path("unseen").path(0).asText()).contains(bucket.path("db").toString());
    assertThat(run.json().has("error")).isFalse();
    assertThat(run.err()).contains("cannot be seen: the commit log of " + bucket.path("db"));

    assertThat(bucket.run("recover", table).out())
        .isEqualTo("No commit is open at " + table + ", as far as can be seen.\n");
    assertThat(bucket.run("recover", table + "/p=1").out()).contains(RecoveryRun.COMMITS_ELSEWHERE);
    CommandLineRun meant = bucket.run("recover", "--give-up", "--job", "elsewhere", table);
    assertThat(meant.exitCode()).isEqualTo(ExitCode.FAILED.number());
    assertThat(bucket.run("recover", bucket.path("db/tt").toString()).err())
        .contains(
            "No commit log of " + bucket.path("db/tt") + " or of a directory above it can be seen.",
            "cannot be seen: the commit log of " + bucket.path("db"));
  }

  @Test
  void theLogOfThePathItselfMustBeRead() throws Exception {
    bucket.refuse(request -> request.prefix().orElse(request.key()).startsWith("db/_zerorename"));
    assertThat(bucket.run("recover", table).exitCode()).isEqualTo(ExitCode.FAILED.number());
  }

  @Test
  void aJobIsGivenUpByTheBeginningOfItsId() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    String beginning = broken.id().substring(0, 8);
    CommandLineRun none = bucket.run("recover", "--give-up", "--job", "nobody", table);
    assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(none.errorLines()).singleElement().asString().contains(broken.id());

    String partition = table + "/p=1";
    for (CommandLineRun above :
        new CommandLineRun[] {
          bucket.run("recover", "--give-up", partition),
          bucket.run("recover", "--give-up", "--job", beginning, partition)
        }) {
      assertThat(above.exitCode()).as(above.err()).isEqualTo(ExitCode.FOUND.number());
      assertThat(above.out()).contains("recover --give-up --job " + broken.id() + " " + table);
    }

    CommandLineRun run = new ImpatientRecovery(bucket).giveUp(beginning);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out())
        .contains("Entry 1 of job " + broken.id() + " was given up", "Known lost files: 1.")
        .contains("  lost: " + broken.path("b"));
    CommandLineRun status = bucket.run("status", "--ended", "1", "--json", table);
    JsonNode job = status.json().path("destinations").path(0).path("jobs").path(0);
    assertThat(job.path("state").asText()).isEqualTo("given-up");
    assertThat(job.path("lost").path(0).asText()).isEqualTo(broken.path("b").toString());
    CommandLineRun after = bucket.run("recover", table);
    assertThat(after.exitCode()).as(after.err()).isEqualTo(ExitCode.OK.number());
    assertThat(after.out()).contains("No commit is open at " + table);
    assertThat(bucket.contents().pendingUploads("")).isEmpty();
  }

  /** Of a partition the commits of its table are only named. */
  @Test
  void anEntryAboveThatCannotBeReadIsNamedToo() throws Exception {
    new WrittenJob(bucket, "a", "b").commitWithout("b");
    bucket.contents().write(bucket.entry("t"), "{".getBytes(UTF_8));

    CommandLineRun run = bucket.run("recover", "--give-up", table + "/p=1");
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out().lines())
        .containsExactly(
            "Entry 1, which cannot be read, is open at %s; to end it as it is, name that path: zerorename recover --give-up %<s"
                .formatted(table));
    CommandLineRun job = bucket.run("recover", "--give-up", "--job", "nobody", table);
    assertThat(job.err()).contains("open there are entry 1, which cannot be read");
  }

  @Test
  void aDryRunLeavesToHiveWhatARecoveryDoes() throws Exception {
    Path elsewhere = bucket.path("elsewhere/p=1");
    new WrittenJob(bucket, "a", "b").intoTable("db.t").writingAlsoTo(elsewhere).commitWithout("b");
    bucket.run("recover", "--also", elsewhere.toString(), table);

    assertThat(bucket.run("recover", table).out()).contains("ZR-1302");
    assertThat(bucket.run("recover", "--dry-run", table).out()).contains("would be left to Hive");
  }

  @Test
  void aCommitOfHivesIsCompletedWithoutTheMetastoreOnlyWhenToldTo() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").intoTable("db.t").commitWithout("b");

    CommandLineRun open = bucket.run("recover", "--json", table);
    assertThat(open.exitCode()).as(open.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(open.json().path("commits").path(0).path("entry").asInt()).isOne();
    assertThat(open.json().path("commits").path(0).path("result").asText())
        .isEqualTo("metastore-open");
    assertThat(bucket.contents().files("db/t/"))
        .containsExactlyInAnyOrder(broken.key("a"), broken.key("b"));
    CommandLineRun jobs = bucket.run("status", table);
    assertThat(jobs.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(jobs.out()).contains("metastore open", "recover " + table + " --without-metastore");

    CommandLineRun run = bucket.run("recover", "--without-metastore", table);
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out())
        .contains("it is complete now")
        .contains("MSCK REPAIR TABLE db.t; ANALYZE TABLE db.t COMPUTE STATISTICS;");
    assertThat(bucket.run("status", table).exitCode()).isEqualTo(ExitCode.OK.number());
  }
}
