package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code zerorename recover} says where it cannot look, and whose commit it gives up. */
@Tag("stores")
class RecoverCommandTest extends OnTable {
  /** Also where a commit is open below the path, of which its own log says nothing. */
  @Test
  void aPathWithoutALogIsAnError() throws Exception {
    WrittenJob broken = new WrittenJob(bucket, "a", "b").commitWithout("b");

    for (String path : List.of("", "db", "db/tt")) {
      CommandLineRun run = bucket.run("recover", "--json", bucket.path(path).toString());
      assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.errorLines())
          .singleElement()
          .asString()
          .contains("No commit log of " + bucket.path(path))
          .endsWith("zerorename status " + bucket.path("") + " shows all of the bucket.");
    }
    assertThat(bucket.contents().files("db/t/")).containsExactly(broken.key("a"));
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
    CommandLineRun run = bucket.run("recover", table + "/p=1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FOUND.number());
    assertThat(run.out()).endsWith(": name that path, zerorename recover " + table + "\n");
    run = bucket.run("recover", "--dry-run", "--json", table);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.FOUND.number());
    JsonNode commit = run.json().path("commits").path(0);
    assertThat(commit.path("job").asText()).isEqualTo(broken.id());
    assertThat(commit.path("result").asText()).isEqualTo("would-complete");
    assertThat(commit.path("message").asText()).contains("up to 2 uploads", "up to 1 old object");
    assertThat(bucket.contents().files("")).isEqualTo(before).contains(old.key("o"));

    assertThat(bucket.run("recover", "--dry-run", "--give-up", table).exitCode())
        .isEqualTo(ExitCode.USAGE.number());
  }

  @Test
  void whoNamesAPartitionThatIsNotInItsTableLearnsWhoseCommitsItHas() throws Exception {
    String partition = bucket.path("elsewhere/p=1").toString();
    new WrittenJob(bucket, "a", "b").commitWithout("b");

    CommandLineRun run = bucket.run("recover", partition);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err()).contains(RecoveryRun.COMMITS_ELSEWHERE);

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
    assertThat(run.err()).contains("cannot be seen: the commit log of " + bucket.path("db"));

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

    CommandLineRun above = bucket.run("recover", "--give-up", table + "/p=1");
    assertThat(above.exitCode()).as(above.err()).isEqualTo(ExitCode.FOUND.number());
    assertThat(above.out()).contains("recover --give-up --job " + broken.id() + " " + table);

    CommandLineRun run = new ImpatientRecovery(bucket).giveUp(beginning);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out())
        .contains("Entry 1 of job " + broken.id() + " was given up", "Known lost files: 1.")
        .contains("  lost: " + broken.path("b"));
    JsonNode job =
        bucket.run("status", "--ended", "1", "--json", table).json().at("/destinations/0/jobs/0");
    assertThat(job.path("state").asText()).isEqualTo("given-up");
    assertThat(job.path("lost").path(0).asText()).isEqualTo(broken.path("b").toString());
    assertThat(bucket.contents().pendingUploads("")).isEmpty();
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
    assertThat(bucket.run("status", table).out())
        .contains("metastore open", "recover " + table + " --without-metastore");

    CommandLineRun run = bucket.run("recover", "--without-metastore", table);
    assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.OK.number());
    assertThat(run.out())
        .contains("it is complete now")
        .contains("MSCK REPAIR TABLE db.t; ANALYZE TABLE db.t COMPUTE STATISTICS;");
    assertThat(bucket.run("status", table).exitCode()).isEqualTo(ExitCode.OK.number());
  }
}
