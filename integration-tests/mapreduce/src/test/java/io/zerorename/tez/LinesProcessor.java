package io.zerorename.tez;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.io.Text;
import org.apache.tez.dag.api.ProcessorDescriptor;
import org.apache.tez.dag.api.Vertex;
import org.apache.tez.mapreduce.output.MROutput;
import org.apache.tez.mapreduce.processor.SimpleMRProcessor;
import org.apache.tez.runtime.api.LogicalOutput;
import org.apache.tez.runtime.api.ProcessorContext;
import org.apache.tez.runtime.library.api.KeyValueWriter;

/** Writes its task's lines to every sink of its vertex, which must then hold each of them once. */
public final class LinesProcessor extends SimpleMRProcessor {
  private static final int LINES = 50;

  /** For Tez. */
  public LinesProcessor(ProcessorContext context) {
    super(context);
  }

  /** A vertex of such tasks, without sinks yet. */
  static Vertex vertex(String name, int tasks) {
    return Vertex.create(name, ProcessorDescriptor.create(LinesProcessor.class.getName()), tasks);
  }

  /** All lines of a vertex, in order. */
  static List<String> lines(String vertex, int tasks) {
    return IntStream.range(0, tasks * LINES)
        .mapToObj(line -> key(vertex, line / LINES, line % LINES) + "\tof " + vertex)
        .toList();
  }

  private static String key(String vertex, int task, int line) {
    return String.format("%s-%05d-%07d", vertex, task, line);
  }

  @Override
  public void run() throws Exception {
    String vertex = getContext().getTaskVertexName();
    for (LogicalOutput output : getOutputs().values()) {
      KeyValueWriter writer = ((MROutput) output).getWriter();
      for (int line = 0; line < LINES; line++) {
        writer.write(
            new Text(key(vertex, getContext().getTaskIndex(), line)), new Text("of " + vertex));
      }
      ((MROutput) output).flush();
    }
  }
}
