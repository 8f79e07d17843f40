package io.zerorename.testing;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The commits that this process has under way, as JMX shows them. */
public final class RunningCommits {
  private RunningCommits() {}

  /** From now on a commit of the job is for recovery what one of a dead process is. */
  public static void forget(String jobId) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      ObjectName ofJob =
          new ObjectName("io.zerorename:type=Commit,job=" + ObjectName.quote(jobId) + ",*");
      for (ObjectName commit : server.queryNames(ofJob, null)) {
        server.unregisterMBean(commit);
      }
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }
}
