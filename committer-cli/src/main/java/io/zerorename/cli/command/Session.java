package io.zerorename.cli.command;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * One call of a command.
 *
 * @param conf Hadoop's configuration, with the user's options
 * @param confDirs the directories of {@code --conf-dir}, in their order
 */
public record Session(Configuration conf, List<Path> confDirs, Output output, Progress progress) {}
