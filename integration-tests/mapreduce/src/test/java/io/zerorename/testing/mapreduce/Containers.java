package io.zerorename.testing.mapreduce;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.tez.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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

  /** In the arguments of an AM and of the shells around it: the first container of an attempt. */
  private static final Pattern APP_MASTER_CONTAINER =
      Pattern.compile("container_(e\\d+_)?\\d+_\\d+_\\d+_000001\\b");

  private static final long END_MINUTES = 2;

  private final ResourceManager resourceManager;
  private final List<Path> logs;
  private final ApplicationId application;

  /**
   * @param logs directories of the node manager
   */
  Containers(ResourceManager resourceManager, String[] logs, JobID job) {
    this.resourceManager = resourceManager;
    this.logs = Arrays.stream(logs).map(Path::of).toList();
    this.application = TypeConverter.toYarn(job).getAppId();
  }

  /** Returns when a container has logged a text; for states that no interface tells. */
  void awaitLogged(String text) throws Exception {
    Await.until("\"" + text + "\" is logged", () -> hasLogged(text));
  }

  private boolean hasLogged(String text) throws IOException {
    for (Path directory : logs) {
      Path own = directory.resolve(application.toString());
      if (Files.isDirectory(own)) {
        try (Stream<Path> files = Files.walk(own)) {
          for (Path file : files.filter(file -> file.endsWith("syslog")).toList()) {
            if (Files.readString(file).contains(text)) {
              return true;
            }
          }
        }
      }
    }
    return false;
  }

  /** Kills the AM as {@code kill -9} does, and returns when it is gone. */
  void killAppMaster() throws Exception {
    Processes.killMaster(APP_MASTER, application);
  }

  /** How many AMs the job has had. */
  int appMasters() {
    return resourceManager.getRMContext().getRMApps().get(application).getAppAttempts().size();
  }

  /** Returns when nothing is left of the job that could still write. */
  void awaitEnd() throws Exception {
    // An AM that YARN has let go has stopped its services, and then sleeps for five seconds, and
    // the shells that have started it wait for it.
    Await.until(application + " finished", this::isFinished);
    for (ProcessHandle process : processes().filter(process -> !isOfAppMaster(process)).toList()) {
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

  private static boolean isOfAppMaster(ProcessHandle process) {
    return arguments(process).stream().anyMatch(word -> APP_MASTER_CONTAINER.matcher(word).find());
  }

  private Stream<ProcessHandle> processes() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                arguments(process).stream()
                    .anyMatch(word -> word.contains(application.toString())));
  }

  private static List<String> arguments(ProcessHandle process) {
    return process.info().arguments().map(List::of).orElse(List.of());
  }
}
