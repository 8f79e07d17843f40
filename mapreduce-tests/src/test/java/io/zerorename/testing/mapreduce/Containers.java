package io.zerorename.testing.mapreduce;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * The processes of one job, known by the application's id in the arguments that YARN gives them.
 */
final class Containers {
  private static final String APP_MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster";
  private static final long END_MINUTES = 2;

  private final ResourceManager resourceManager;
  private final ApplicationId application;

  Containers(ResourceManager resourceManager, JobID job) {
    this.resourceManager = resourceManager;
    this.application = TypeConverter.toYarn(job).getAppId();
  }

  /** Kills the AM as {@code kill -9} does, and returns when it is gone. */
  void killAppMaster() throws Exception {
    List<ProcessHandle> masters =
        processes().filter(Containers::isJava).filter(Containers::isMaster).toList();
    if (masters.size() != 1) {
      throw new AssertionError("not one AM of " + application + " but " + masters);
    }
    ProcessHandle master = masters.get(0);
    if (!master.destroyForcibly()) {
      throw new AssertionError(
          "could not kill the AM of " + application + ", process " + master.pid());
    }
    master.onExit().get(END_MINUTES, TimeUnit.MINUTES);
  }

  /** How many AMs the job has had. */
  int appMasters() {
    return resourceManager.getRMContext().getRMApps().get(application).getAppAttempts().size();
  }

  /** Returns when nothing is left of the job that could still write. */
  void awaitEnd() throws Exception {
    // An AM that YARN has let go has stopped its services, and then sleeps for five seconds.
    Await.until(application + " finished", this::isFinished);
    for (ProcessHandle process : processes().filter(process -> !isMaster(process)).toList()) {
      process.onExit().get(END_MINUTES, TimeUnit.MINUTES);
    }
  }

  private boolean isFinished() {
    return switch (resourceManager
        .getRMContext()
        .getRMApps()
        .get(application)
        .createApplicationState()) {
      case FINISHED, FAILED, KILLED -> true;
      default -> false;
    };
  }

  private static boolean isMaster(ProcessHandle process) {
    return arguments(process).stream().anyMatch(word -> word.contains(APP_MASTER));
  }

  private Stream<ProcessHandle> processes() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                arguments(process).stream()
                    .anyMatch(word -> word.contains(application.toString())));
  }

  private static boolean isJava(ProcessHandle process) {
    return process.info().command().filter(command -> command.endsWith("/java")).isPresent();
  }

  private static List<String> arguments(ProcessHandle process) {
    return process.info().arguments().map(List::of).orElse(List.of());
  }
}
