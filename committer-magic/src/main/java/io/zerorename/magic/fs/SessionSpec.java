package io.zerorename.magic.fs;

import io.zerorename.core.upload.InlineSettings;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * The owner and destination of a session.
 *
 * @param bucket any fully qualified path in the destination's bucket, such as the table's location
 * @param jobId in Hive the execution of one query
 * @param noteWriter is told the attempt before its first file, as {@code JobDirectory#noteWriter}
 * @param taskAttemptId the task attempt
 * @param name of the session, which no other open one of the user in the JVM may have; in it
 *     everything but letters and digits becomes a hyphen
 * @param inline which files the attempt inlines
 * @param naming maps a file's fully qualified destination to its final one. Called once per file,
 *     by any thread.
 */
public record SessionSpec(
    Path bucket,
    String jobId,
    ConsumerRaisingIOE<String> noteWriter,
    String taskAttemptId,
    String name,
    InlineSettings inline,
    UnaryOperator<Path> naming) {}
