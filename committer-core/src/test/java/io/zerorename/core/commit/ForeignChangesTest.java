package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether somebody who does not use the log has changed what an interrupted entry changes. */
class ForeignChangesTest extends TimedCommits {
  private LogEntry target;

  @BeforeEach
  void interrupt() throws IOException {
    store.plant(T + "day=1/old-0", new byte[1]);
    store.plant(T + "day=1/old-1", new byte[1]);
    store.plant(T + "day=2/old", new byte[1]);
    store.pass(Duration.ofMinutes(1));
    job.task("a", "day=1/0", "day=1/1");
    target = job.decideAndDie(Overwrite.directoriesOfFiles());
    store.pass(Duration.ofMinutes(1));
  }

  private Optional<String> find() throws IOException {
    CommitLog log = job.log();
    CommitPlan plan = log.plan(target);
    Instant written = log.tailDownTo(target.number()).written(target.number());
    Workers workers = new Workers(1, 512);
    return new ForeignChanges(store, log).find(target, plan, written, workers);
  }

  @Test
  void whatIsNoDataOrLiesElsewhereIsNotForeign() throws IOException {
    store.plant(T + "day=1/_SUCCESS", new byte[1]);
    store.plant(T + "day=1/.staging/x", new byte[1]);
    store.plant(T + "day=1/", new byte[0]);
    store.plant(T + "day=2/new", new byte[1]);
    store.plant(T + "day=1/old-1", new byte[2]);
    assertThat(find()).isEmpty();
  }

  @Test
  void whatAnEngineWritesWhereItHasReplacedFilesIsNotForeign() throws IOException {
    List<Path> replaced = List.of(new Path(TestJob.TABLE, "day=1"));
    EngineStatement statement = new EngineStatement(store, job.log(), job.settings(), replaced);
    store.plant(T + "day=1/000000_0", new byte[1]);
    assertThat(find()).as("nothing says who has written it").isPresent();
    OutputJob overwrite = new OutputJob("job-2", "INSERT OVERWRITE db.t", List.of(TestJob.TABLE));
    assertThat(statement.commit(overwrite, replaced, decided -> true)).isPresent();
    assertThat(find()).isEmpty();
  }
}
