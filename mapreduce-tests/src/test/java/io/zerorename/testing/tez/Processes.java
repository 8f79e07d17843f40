package io.zerorename.testing.tez;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** Kills processes of the cluster's containers. */
final class Processes {
  private Processes() {}

  /** Kills the AM of an application by SIGKILL. */
  static void killMaster(ApplicationId application) throws IOException, InterruptedException {
    List<Long> masters =
        ProcessHandle.current()
            .descendants()
            .map(ProcessHandle::pid)
            .filter(pid -> isMaster(pid, application))
            .toList();
    if (masters.size() != 1) {
      throw new IllegalStateException(
          "there must be one AM of " + application + ", and there are " + masters);
    }
    kill(masters.get(0));
  }

  static void kill(long pid) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-9", Long.toString(pid)).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException("kill -9 " + pid + " ended with " + code);
    }
  }

  private static boolean isMaster(long pid, ApplicationId application) {
    String[] command = commandLine(pid).split("\0", -1);
    // Not the shell that has started it.
    return command[0].endsWith("java")
        && List.of(command).contains("org.apache.tez.dag.app.DAGAppMaster")
        && String.join(" ", command).contains(application.toString());
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
