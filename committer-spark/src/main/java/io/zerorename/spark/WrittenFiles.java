package io.zerorename.spark;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/** What is to be known of all tasks before their files are read from the messages one by one. */
final class WrittenFiles {
  private final Set<Path> directories = new LinkedHashSet<>();
  private boolean retried;

  void add(TaskMessage message) {
    retried |= !message.first();
    for (OutputFile file : message.manifest().files()) {
      directories.add(file.destination().getParent());
    }
  }

  /**
   * @param messages a {@link TaskMessage} of each task
   */
  static WrittenFiles of(List<byte[]> messages) throws IOException {
    WrittenFiles files = new WrittenFiles();
    for (byte[] message : messages) {
      files.add(TaskMessage.of(message));
    }
    return files;
  }

  /** What a plan says of it. */
  static WrittenFiles of(CommitPlan plan) throws IOException {
    WrittenFiles files = new WrittenFiles();
    RemoteIterators.foreach(
        plan.uploads(), it -> files.directories.add(it.destination().getParent()));
    return files;
  }

  /** Those that have new files. */
  Set<Path> directories() {
    return directories;
  }

  /** Whether a task was tried more than once. */
  boolean retried() {
    return retried;
  }

  /**
   * The destination, and directories outside of it: partitions may have locations of their own.
   *
   * @param replaced directories that are replaced besides those with new files
   */
  List<Path> roots(Path destination, Set<Path> replaced) {
    Set<Path> changed = new LinkedHashSet<>(replaced);
    changed.addAll(directories);
    return rootsOf(destination, changed);
  }

  /** The same of any directories. */
  static List<Path> rootsOf(Path destination, Set<Path> changed) {
    Set<Path> roots = new LinkedHashSet<>(List.of(destination));
    changed.stream().filter(it -> !ObjectKeys.isAtOrBelow(it, destination)).forEach(roots::add);
    return List.copyOf(roots);
  }
}
