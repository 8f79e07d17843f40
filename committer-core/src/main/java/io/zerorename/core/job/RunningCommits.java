package io.zerorename.core.job;

import io.zerorename.core.log.OutputJob;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commits that this process has under way. Each is an MBean, because a process may have loaded
 * this class several times (Hive's sessions have class loaders of their own) and all must see one
 * list; an administrator sees it too.
 */
public final class RunningCommits {
  private static final Logger LOG = LoggerFactory.getLogger(RunningCommits.class);

  private RunningCommits() {}

  /** What JMX shows of a commit. */
  public interface CommitMBean {
    String getDescription();

    String getBegan();
  }

  private record Commit(String description, Instant began) implements CommitMBean {
    @Override
    public String getDescription() {
      return description;
    }

    @Override
    public String getBegan() {
      return began.toString();
    }
  }

  /** From now on others in this process leave the job's commit alone. May be repeated. */
  public static void begin(OutputJob job) {
    try {
      server()
          .registerMBean(
              new StandardMBean(new Commit(job.description(), Instant.now()), CommitMBean.class),
              name(job.id()));
    } catch (InstanceAlreadyExistsException e) {
      LOG.debug("The commit of {} goes on", job.description());
    } catch (JMException e) {
      throw new IllegalStateException("Cannot register the commit of " + job.description(), e);
    }
  }

  /** The commit has ended, or this process has done what it can. */
  public static void end(String jobId) {
    try {
      server().unregisterMBean(name(jobId));
    } catch (InstanceNotFoundException e) {
      LOG.debug("The commit of job {} had ended", jobId);
    } catch (JMException e) {
      throw new IllegalStateException("Cannot unregister the commit of job " + jobId, e);
    }
  }

  public static boolean isRunning(String jobId) {
    return server().isRegistered(name(jobId));
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static ObjectName name(String jobId) {
    try {
      return new ObjectName("io.zerorename:type=Commit,job=" + ObjectName.quote(jobId));
    } catch (JMException e) {
      throw new IllegalArgumentException("\"" + jobId + "\" is no id of a job", e);
    }
  }
}
