package io.zerorename.core.log;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What a process must know to commit a job, besides its files; it may be another process than the
 * job's own.
 *
 * @param id unique to one execution of the job
 * @param description the job in a person's words, for messages, such as {@code INSERT into db.t}
 * @param destination whose {@link CommitLog} has its decision: the table, or the output directory
 * @param roots the directories below which every file must lie
 * @param plainNames whether the names of its files are not unique. Completing an upload would
 *     silently replace an object of that name, so one that is there fails the commit before its
 *     decision; that costs one listing of each root.
 * @param attributes what the job's engine needs to end the commit, in its own terms
 */
public record OutputJob(
    String id,
    String description,
    Path destination,
    List<Path> roots,
    boolean plainNames,
    Map<String, String> attributes) {
  public OutputJob {
    roots = List.copyOf(roots);
    attributes = Map.copyOf(attributes);
  }

  /** A job whose file names are unique and whose engine has nothing to do after the commit. */
  public OutputJob(String id, String description, List<Path> roots) {
    this(id, description, roots.get(0), roots, false, Map.of());
  }

  /** The same job as one of a run: it commits unless another job of that has. */
  public OutputJob ofRun(RunId run) {
    return new OutputJob(id, description, destination, roots, plainNames, run.with(attributes));
  }

  /** The run to which it belongs, if its user has named one. */
  public Optional<RunId> run() {
    return RunId.in(attributes);
  }

  /** Empty of a job without a run. */
  String runInName() {
    return run().map(RunId::inName).orElse("");
  }
}
