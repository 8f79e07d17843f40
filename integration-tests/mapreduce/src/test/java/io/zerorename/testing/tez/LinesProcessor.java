package io.zerorename.testing.tez;

import io.zerorename.testing.tez.TaskRuns.Run;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.tez.common.TezUtils;
import org.apache.tez.dag.api.ProcessorDescriptor;
import org.apache.tez.dag.api.UserPayload;
import org.apache.tez.dag.api.Vertex;
import org.apache.tez.mapreduce.output.MROutput;
import org.apache.tez.mapreduce.processor.SimpleMRProcessor;
import org.apache.tez.runtime.api.LogicalOutput;
import org.apache.tez.runtime.api.ProcessorContext;
import org.apache.tez.runtime.library.api.KeyValueWriter;

/** Writes its task's lines to every sink of its vertex, and may then come to harm. */
public final class LinesProcessor extends SimpleMRProcessor {
  private static final String LINES = "test.lines";
  private static final String MISHAP = "test.mishap";
  private static final String RUNS = "test.runs";

  /** For Tez. */
  public LinesProcessor(ProcessorContext context) {
    super(context);
  }

  /** A vertex of such tasks, without sinks yet. */
  static Vertex vertex(String name, int tasks, int linesPerTask, Mishap mishap, TaskRuns runs)
      throws IOException {
    Configuration settings = new Configuration(false);
    settings.setInt(LINES, linesPerTask);
    settings.setEnum(MISHAP, mishap);
    settings.set(RUNS, runs.directory().toString());
    return Vertex.create(
        name,
        ProcessorDescriptor.create(LinesProcessor.class.getName())
            .setUserPayload(TezUtils.createUserPayloadFromConf(settings)),
        tasks);
  }

  /** All lines of a vertex, in order. */
  static List<String> lines(String vertex, int tasks, int linesPerTask) {
    return IntStream.range(0, tasks)
        .boxed()
        .flatMap(
            task ->
                IntStream.range(0, linesPerTask)
                    .mapToObj(line -> key(vertex, task, line) + "\tof " + vertex))
        .toList();
  }

  private static String key(String vertex, int task, int line) {
    return String.format("%s-%05d-%07d", vertex, task, line);
  }

  @Override
  public void run() throws Exception {
    ProcessorContext task = getContext();
    UserPayload payload = task.getUserPayload();
    Configuration settings =
        TezUtils.createConfFromUserPayload(
            UserPayload.create(ByteBuffer.wrap(payload.deepCopyAsArray())));
    String vertex = task.getTaskVertexName();
    Mishap mishap = settings.getEnum(MISHAP, Mishap.NONE);
    List<TaskUploads> uploads = new ArrayList<>();
    for (LogicalOutput output : getOutputs().values()) {
      MROutput sink = (MROutput) output;
      if (mishap != Mishap.NONE) {
        uploads.add(TaskUploads.before(sink, task.getTaskIndex()));
      }
      KeyValueWriter writer = sink.getWriter();
      for (int line = 0; line < settings.getInt(LINES, 0); line++) {
        writer.write(new Text(key(vertex, task.getTaskIndex(), line)), new Text("of " + vertex));
      }
      sink.flush();
    }
    for (TaskUploads upload : uploads) {
      upload.awaitNew();
    }
    new TaskRuns(new Path(settings.get(RUNS)), new Configuration()).add(Run.of(task));
    mishap.strike(task);
  }
}
