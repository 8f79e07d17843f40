package io.zerorename.hive;

import io.zerorename.testing.process.Await;
import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What statements of this process have begun in the background, seen as an administrator does. */
final class BackgroundWorks {
  private BackgroundWorks() {}

  /** Waits for the end of all, and lets the next statements begin the same at once. */
  static void await() throws Exception {
    for (ObjectName work : all()) {
      Await.until(work + " has ended", () -> !isRunning(work));
      forget(work);
    }
  }

  private static Set<ObjectName> all() throws JMException {
    return server().queryNames(new ObjectName("io.zerorename:type=Background,*"), null);
  }

  private static boolean isRunning(ObjectName work) throws JMException {
    try {
      return (Boolean) server().getAttribute(work, "Running");
    } catch (InstanceNotFoundException e) {
      return false;
    }
  }

  private static void forget(ObjectName work) throws JMException {
    try {
      server().unregisterMBean(work);
    } catch (InstanceNotFoundException e) {
      // Its minute is over.
      return;
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }
}
