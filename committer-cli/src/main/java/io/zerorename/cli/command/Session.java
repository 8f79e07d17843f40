package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * What one call of a command works with.
 *
 * @param conf Hadoop's configuration, with what the user has typed
 * @param confDirs the directories that the user has named for it, in their order; the class path
 *     has others
 * @param output where the command tells what it found
 * @param progress where it tells how far it is
 */
public record Session(Configuration conf, List<Path> confDirs, Output output, Progress progress) {
  public Session {
    requireNonNull(conf, "conf");
    confDirs = List.copyOf(confDirs);
    requireNonNull(output, "output");
    requireNonNull(progress, "progress");
  }
}
