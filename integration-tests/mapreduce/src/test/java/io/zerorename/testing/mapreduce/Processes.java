package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** The JVMs in YARN's containers, which descend from this one. */
public final class Processes {
  private static final List<String> MASTERS =
      List.of(
          "org.apache.hadoop.mapreduce.v2.app.MRAppMaster", "org.apache.tez.dag.app.DAGAppMaster");
  private static final List<String> TASKS =
      List.of("org.apache.hadoop.mapred.YarnChild", "org.apache.tez.runtime.task.TezChild");
  private static final long END_MINUTES = 2;

  private Processes() {}

  /** Kills the AM of an application by SIGKILL, and returns when it is gone. */
  public static void killMaster(ApplicationId application) throws Exception {
    List<ProcessHandle> masters = running(MASTERS, application);
    assertThat(masters).as("AMs of %s", application).hasSize(1);
    masters.get(0).destroyForcibly();
    masters.get(0).onExit().get(END_MINUTES, TimeUnit.MINUTES);
  }

  /** Kills the JVMs of an application's tasks by SIGKILL. */
  public static void killTasks(ApplicationId application) {
    List<ProcessHandle> tasks = running(TASKS, application);
    assertThat(tasks).as("tasks of %s", application).isNotEmpty();
    tasks.forEach(ProcessHandle::destroyForcibly);
  }

  static boolean hasTasks(ApplicationId application) {
    return !running(TASKS, application).isEmpty();
  }

  private static List<ProcessHandle> running(List<String> mains, ApplicationId application) {
    // It is in the names of directories and containers.
    String id = application.toString().substring(ApplicationId.appIdStrPrefix.length());
    return ProcessHandle.current()
        .descendants()
        .filter(
            process -> {
              String command = commandLine(process.pid());
              List<String> words = Arrays.asList(command.split("\0", -1));
              // Not the shell that has started it.
              return words.get(0).endsWith("java")
                  && mains.stream().anyMatch(words::contains)
                  && command.contains(id);
            })
        .toList();
  }

  private static String commandLine(long pid) {
    try {
      return new String(Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline")), UTF_8);
    } catch (IOException e) {
      // It has ended in the meantime.
      return "";
    }
  }
}
