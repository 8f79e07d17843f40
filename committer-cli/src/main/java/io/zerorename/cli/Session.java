package io.zerorename.cli;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * One call of a command.
 *
 * @param conf Hadoop's configuration, with the user's options and what Spark's file says of file
 *     systems
 * @param hadoop the same without Spark's file
 * @param confDirs the directories of {@code --conf-dir}, in their order
 */
record Session(Configuration conf, Configuration hadoop, List<Path> confDirs, Output output) {}
