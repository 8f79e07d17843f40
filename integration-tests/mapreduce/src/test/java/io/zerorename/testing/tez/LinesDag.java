package io.zerorename.testing.tez;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.tez.dag.api.DAG;
import org.apache.tez.dag.api.DataSinkDescriptor;
import org.apache.tez.dag.api.Vertex;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;

/** A DAG whose vertices write lines, so that each sink must hold each line of its vertex once. */
public final class LinesDag {
  private final TezSession session;
  private final DAG dag;
  private final TaskRuns runs;
  private final Map<String, List<String>> lines = new HashMap<>();
  private int sinks;

  LinesDag(TezSession session, String name, TaskRuns runs) {
    this.session = session;
    this.dag = DAG.create(name);
    this.runs = runs;
  }

  /** Adds a vertex. */
  public LinesDag vertex(String name, int tasks, int linesPerTask, Mishap mishap)
      throws IOException {
    Vertex vertex = LinesProcessor.vertex(name, tasks, linesPerTask, mishap, runs);
    dag.addVertex(vertex);
    lines.put(name, LinesProcessor.lines(name, tasks, linesPerTask));
    return this;
  }

  /** Has a vertex write to a directory. */
  public LinesDag sink(String vertex, OutputApi api, Path directory) {
    return sink(vertex, api.sink(session.configuration(), directory));
  }

  /** Has a vertex write to a sink. */
  public LinesDag sink(String vertex, DataSinkDescriptor sink) {
    dag.getVertex(vertex).addDataSink("sink" + sinks++, sink);
    return this;
  }

  /** Sets something for this DAG. */
  public LinesDag set(String key, String value) {
    dag.setConf(key, value);
    return this;
  }

  /** All lines of a vertex, in order. */
  public List<String> lines(String... vertices) {
    List<String> all = new ArrayList<>();
    for (String vertex : vertices) {
      all.addAll(lines.get(vertex));
    }
    return all.stream().sorted().toList();
  }

  /** Which attempts have written their files so far. */
  public List<TaskRuns.Run> runs() throws IOException {
    return runs.all();
  }

  /** Starts it. */
  public DAGClient submit() throws Exception {
    return session.submit(dag);
  }

  /** Runs it to its end. */
  public DAGStatus run() throws Exception {
    try (DAGClient client = submit()) {
      return TezSession.end(client);
    }
  }
}
