package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Writes its first lines to a file of its own, closes that, does what the {@link TaskScript} says
 * after the next line, and leaves the rest to the output format.
 */
final class ScriptedMapper extends Mapper<Text, Text, Text, Text> {
  /** How many lines go to the first file. Each task must have more. */
  static final int FIRST_LINES = 10;

  private final StringBuilder first = new StringBuilder();
  private int line;

  @Override
  protected void map(Text key, Text value, Context context)
      throws IOException, InterruptedException {
    if (line < FIRST_LINES) {
      first.append(key).append('\t').append(value).append('\n');
    } else {
      context.write(key, value);
    }
    line++;
    if (line == FIRST_LINES) {
      writeFirst(context);
    }
    if (line == FIRST_LINES + 1) {
      TaskScript.in(context.getConfiguration()).act(context.getTaskAttemptID());
    }
  }

  private void writeFirst(Context context) throws IOException, InterruptedException {
    Path file = FileOutputFormat.getPathForWorkFile(context, "first", "");
    try (OutputStream out = file.getFileSystem(context.getConfiguration()).create(file)) {
      out.write(first.toString().getBytes(UTF_8));
    }
  }
}
