package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.ELSEWHERE;
import static io.zerorename.core.commit.SimulatedCluster.SETTINGS;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;

import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** What later jobs do for those before them, in a simulated process of their own. */
public final class SimulatedRecovery implements JobEngine {
  private final SimulatedCluster.View view;

  public SimulatedRecovery(SimulatedCluster.View view) {
    this.view = view;
  }

  public Recovery recovery() {
    return new Recovery(
        view.stores, view.log(), Waits.in((time, why) -> view.passTime(time), SETTINGS), this);
  }

  public List<Recovered> run() throws IOException {
    return recovery().run(Duration.ZERO);
  }

  @Override
  public boolean mayWrite(Path root) {
    return root.equals(TABLE) || root.equals(ELSEWHERE);
  }

  @Override
  public boolean afterFiles(OpenCommit commit) throws IOException {
    view.addPartitions(commit.plan(), commit.replacedLater());
    return true;
  }
}
