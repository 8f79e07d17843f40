package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.TABLE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * The shortest history by which the model of the protocol, {@code src/test/model/commit_log.py},
 * shows what goes wrong without one of its rules.
 *
 * @param files a kind and a directory each: an Upload, an Old object
 * @param roles the processes p0, p1, …
 * @param moves what happened, in the words of the model
 */
record ModelTrace(
    String rule, String violates, List<String> files, List<Role> roles, List<String> moves) {
  private static final String RESOURCE = "model-traces.json";

  /**
   * A process of the model.
   *
   * @param job its number; 0 where it has none
   * @param run the number of that of which it is one attempt; 0 where it has none
   * @param files indices of those that it writes
   * @param replaces directories
   */
  record Role(String kind, int job, int run, List<Integer> files, Set<String> replaces) {
    boolean isJob() {
      return Set.of("ADD", "REPLACE", "CLEAR").contains(kind);
    }

    /** Whether it is a statement by which an engine removes files on its own path. */
    boolean isStatement() {
      return kind.equals("HOOK");
    }

    Set<Path> directories() {
      return replaces.stream().map(ModelTrace::directory).collect(Collectors.toSet());
    }
  }

  /** What was generated. */
  static JsonNode resource() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ModelTrace.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return new ObjectMapper().readTree(in);
    }
  }

  static List<ModelTrace> all() throws IOException {
    List<ModelTrace> traces = new ArrayList<>();
    for (JsonNode trace : resource().get("traces")) {
      traces.add(
          new ModelTrace(
              trace.get("rule").asText(),
              trace.get("violates").asText(),
              texts(trace.get("files")),
              roles(trace.get("roles")),
              texts(trace.get("moves"))));
    }
    return traces;
  }

  private static List<Role> roles(JsonNode nodes) {
    List<Role> roles = new ArrayList<>();
    for (JsonNode role : nodes) {
      List<Integer> files = new ArrayList<>();
      role.get("files").forEach(file -> files.add(file.asInt()));
      roles.add(
          new Role(
              role.get("kind").asText(),
              role.get("job").asInt(),
              role.get("run").asInt(),
              files,
              Set.copyOf(texts(role.get("replaces")))));
    }
    return roles;
  }

  private static List<String> texts(JsonNode nodes) {
    List<String> texts = new ArrayList<>();
    nodes.forEach(node -> texts.add(node.asText()));
    return texts;
  }

  @Override
  public String toString() {
    return rule;
  }

  boolean has(String kind) {
    return roles.stream().anyMatch(role -> role.kind().equals(kind));
  }

  private static Path directory(String name) {
    return new Path(TABLE, "day=" + name);
  }

  /** Where a file of the model is, which its job writes or which is there before. */
  Path file(int number, int run) {
    String writer =
        roles.stream()
            .filter(role -> role.isJob() && role.files().contains(number))
            .findFirst()
            .map(role -> idOf(role, run))
            .orElse("old");
    return new Path(directory(files.get(number).substring(1)), number + "." + writer);
  }

  /** Ids must differ in one JVM. */
  static String idOf(Role role, int run) {
    return "job-" + role.job() + "-of-" + run;
  }

  JobShape shape(Role role, int run) {
    return new JobShape() {
      @Override
      public List<Path> writes(String jobId) {
        return role.files().stream().map(number -> file(number, run)).toList();
      }

      @Override
      public boolean inlines(int task) {
        return !files.get(role.files().get(task)).startsWith("U");
      }

      @Override
      public Path loses(String jobId) {
        return new Path(directory("none"), "lost." + jobId);
      }

      @Override
      public Overwrite overwrite() {
        return written -> role.directories();
      }

      @Override
      public Optional<RunId> run() {
        return role.run() == 0
            ? Optional.empty()
            : Optional.of(new RunId("run-" + role.run(), TABLE.toString(), ""));
      }
    };
  }
}
