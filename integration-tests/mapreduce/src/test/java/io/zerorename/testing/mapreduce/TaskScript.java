package io.zerorename.testing.mapreduce;

import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/**
 * What the attempts of a job's tasks do when half of their output is written, and which of them
 * came that far. Kept on HDFS, where test and containers meet.
 */
final class TaskScript {
  private static final String DIRECTORY = "test.script.directory";

  /** What an attempt does half-way. */
  enum Action {
    GO_ON,
    /** Waits until it is killed. */
    WAIT,
    FAIL,
    /** Ends as a machine does that loses its power. */
    KILL_OWN_PROCESS
  }

  private final Path directory;
  private final FileSystem fs;
  private final Configuration conf;

  private TaskScript(Configuration conf) throws IOException {
    this.conf = conf;
    this.directory = new Path(conf.get(DIRECTORY));
    this.fs = directory.getFileSystem(conf);
  }

  /** Prepares a job's configuration. */
  static TaskScript of(Configuration conf, String job) throws IOException {
    conf.set(DIRECTORY, "/scripts/" + job);
    return new TaskScript(conf);
  }

  /** In a task. */
  static TaskScript in(Configuration conf) throws IOException {
    return new TaskScript(conf);
  }

  /** Says what the first attempt of a task does; later ones go on. */
  TaskScript firstAttempt(int task, Action action) {
    conf.set(key(task, 0), action.name());
    return this;
  }

  /** Says what each of the first attempts of a task does. */
  TaskScript attempts(int task, int attempts, Action action) {
    for (int attempt = 0; attempt < attempts; attempt++) {
      conf.set(key(task, attempt), action.name());
    }
    return this;
  }

  /** The numbers of the tasks of all attempts that came half-way, in order. */
  List<Integer> tasksRun() throws IOException {
    if (!fs.exists(runs())) {
      return List.of();
    }
    return Arrays.stream(fs.listStatus(runs()))
        .map(FileStatus::getPath)
        .map(path -> TaskAttemptID.forName(path.getName()).getTaskID().getId())
        .sorted()
        .toList();
  }

  /** Returns when attempts of so many tasks have come half-way. */
  void awaitRuns(int attempts) throws Exception {
    Await.until(attempts + " attempts half-way", () -> tasksRun().size() >= attempts);
  }

  /** Called in a task, half-way. */
  void act(TaskAttemptID attempt) throws IOException, InterruptedException {
    try (OutputStream out = fs.create(new Path(runs(), attempt.toString()))) {
      out.write(1);
    }
    Action action =
        Action.valueOf(
            conf.get(key(attempt.getTaskID().getId(), attempt.getId()), Action.GO_ON.name()));
    switch (action) {
      case GO_ON -> {}
      case WAIT -> Thread.sleep(Long.MAX_VALUE);
      case FAIL -> throw new IOException("this attempt fails on purpose: " + attempt);
      case KILL_OWN_PROCESS -> killOwnProcess();
    }
  }

  /** Gives this process the signal 9. */
  static void killOwnProcess() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
    throw new IOException("this process survived kill -9");
  }

  private Path runs() {
    return new Path(directory, "runs");
  }

  private static String key(int task, int attempt) {
    return "test.script." + task + "." + attempt;
  }
}
