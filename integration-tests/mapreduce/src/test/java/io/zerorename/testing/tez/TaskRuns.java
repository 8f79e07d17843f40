package io.zerorename.testing.tez;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.tez.runtime.api.ProcessorContext;

/**
 * Which task attempts of a test's DAGs have written their files where, kept as empty files in a
 * directory.
 */
public final class TaskRuns {
  private final Path directory;
  private final FileSystem fileSystem;

  /** Those kept in a directory. */
  public TaskRuns(Path directory, Configuration conf) throws IOException {
    this.fileSystem = directory.getFileSystem(conf);
    this.directory = fileSystem.makeQualified(directory);
  }

  /**
   * One execution of a task attempt.
   *
   * @param master which attempt of the AM it ran under, from 1
   */
  public record Run(String vertex, int task, int attempt, int master) {
    static Run of(ProcessorContext task) {
      return new Run(
          task.getTaskVertexName(),
          task.getTaskIndex(),
          task.getTaskAttemptNumber(),
          task.getDAGAttemptNumber());
    }

    private static Run parse(String name) {
      List<String> fields = Arrays.asList(name.split(",", -1));
      return new Run(
          fields.get(0),
          Integer.parseInt(fields.get(1)),
          Integer.parseInt(fields.get(2)),
          Integer.parseInt(fields.get(3)));
    }

    private String name() {
      return String.join(",", vertex, "" + task, "" + attempt, "" + master);
    }
  }

  Path directory() {
    return directory;
  }

  void add(Run run) throws IOException {
    fileSystem.create(new Path(directory, run.name()), false).close();
  }

  /** All, in no order. */
  public List<Run> all() throws IOException {
    try {
      return Arrays.stream(fileSystem.listStatus(directory))
          .map(file -> Run.parse(file.getPath().getName()))
          .toList();
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }
}
