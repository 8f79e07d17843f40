package io.zerorename.testing.tez;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** Kills processes of the cluster's containers. */
public final class Processes {
  /** The main class of an AM of Tez. */
  public static final String TEZ = "org.apache.tez.dag.app.DAGAppMaster";

  private static final String TASKS = "org.apache.tez.runtime.task.TezChild";
  private static final long END_MINUTES = 2;

  private Processes() {}

  /**
   * Kills the AM of an application by SIGKILL, and returns when it is gone.
   *
   * @param main its main class
   */
  public static void killMaster(String main, ApplicationId application) throws Exception {
    List<Long> masters = running(main, application);
    if (masters.size() != 1) {
      throw new IllegalStateException(
          "there must be one AM of " + application + ", and there are " + masters);
    }
    CompletableFuture<ProcessHandle> end = ProcessHandle.of(masters.get(0)).orElseThrow().onExit();
    kill(masters.get(0));
    end.get(END_MINUTES, TimeUnit.MINUTES);
  }

  /** Kills the JVMs of an application's tasks by SIGKILL. */
  public static void killTasks(ApplicationId application) throws IOException, InterruptedException {
    List<Long> tasks = running(TASKS, application);
    if (tasks.isEmpty()) {
      throw new IllegalStateException("no task of " + application + " runs");
    }
    for (long task : tasks) {
      kill(task);
    }
  }

  private static List<Long> running(String main, ApplicationId application) {
    return ProcessHandle.current()
        .descendants()
        .map(ProcessHandle::pid)
        .filter(pid -> runs(pid, main, application))
        .toList();
  }

  static void kill(long pid) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-9", Long.toString(pid)).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("kill -9 " + pid + " ended with " + code);
    }
  }

  private static boolean runs(long pid, String main, ApplicationId application) {
    String[] command = commandLine(pid).split("\0", -1);
    // Not the shell that has started it. The id is in the names of directories and containers.
    return command[0].endsWith("java")
        && List.of(command).contains(main)
        && String.join(" ", command)
            .contains(application.toString().substring(ApplicationId.appIdStrPrefix.length()));
  }

  private static String commandLine(long pid) {
    try {
      return new String(Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline")), UTF_8);
    } catch (NoSuchFileException e) {
      // It has ended in the meantime.
      return "";
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
