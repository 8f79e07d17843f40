package io.zerorename.core.job;

import io.zerorename.core.log.OutputJob;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.UUID;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A commit that this process has under way. Until it is closed, recovery in this process leaves the
 * job alone. Two committers of one job count as two.
 *
 * <p>It is an MBean, because a process may have loaded this class several times (Hive's sessions
 * have class loaders of their own) and all must see the same commits; an administrator sees them
 * too.
 */
public final class RunningCommit implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningCommit.class);

  private final ObjectName name;

  private RunningCommit(ObjectName name) {
    this.name = name;
  }

  /** What JMX shows of a commit. */
  public interface CommitMBean {
    String getDescription();

    String getBegan();
  }

  private record Commit(String getDescription, String getBegan) implements CommitMBean {}

  public static RunningCommit begin(OutputJob job) {
    ObjectName name = name(job.id(), ",id=" + UUID.randomUUID());
    try {
      server()
          .registerMBean(
              new StandardMBean(
                  new Commit(job.description(), Instant.now().toString()), CommitMBean.class),
              name);
      return new RunningCommit(name);
    } catch (JMException e) {
      throw new IllegalStateException("Cannot register the commit of " + job.description(), e);
    }
  }

  /** Whether this process has a commit of the job under way. */
  public static boolean exists(String jobId) {
    return !server().queryNames(name(jobId, ",*"), null).isEmpty();
  }

  /** The commit has ended, or this process has done what it can. May be repeated. */
  @Override
  public void close() {
    try {
      server().unregisterMBean(name);
    } catch (InstanceNotFoundException e) {
      LOG.debug("The commit {} was closed before", name);
    } catch (JMException e) {
      throw new IllegalStateException("Cannot unregister the commit " + name, e);
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static ObjectName name(String jobId, String rest) {
    try {
      return new ObjectName("io.zerorename:type=Commit,job=" + ObjectName.quote(jobId) + rest);
    } catch (JMException e) {
      throw new IllegalArgumentException("\"" + jobId + "\" is no id of a job", e);
    }
  }
}
