package io.zerorename.core.commit;

import io.zerorename.core.log.RunId;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** What a simulated job does. */
interface JobShape {
  /** How tasks and job find each other. */
  enum Style {
    /** Files with manifests on the cluster file system; partitions are added at the end. */
    HIVE,
    /** Attempts publish; records are on the cluster file system. */
    MR_CLUSTER,
    /** Attempts publish; there is nothing but S3. */
    MR_S3
  }

  default Style style() {
    return Style.HIVE;
  }

  /** Whether the names of its files do not carry its id. */
  default boolean plainNames() {
    return false;
  }

  /** What the chosen attempts write, one task each. */
  List<Path> writes(String jobId);

  /** Whether a task does not upload its file, but hands it over. */
  default boolean inlines(int task) {
    return false;
  }

  /** Below which its files must lie. */
  default List<Path> roots() {
    return List.of(SimulatedCluster.TABLE);
  }

  /** What an attempt writes that is not chosen. */
  Path loses(String jobId);

  Overwrite overwrite();

  /** The run to which it belongs. */
  default Optional<RunId> run() {
    return Optional.empty();
  }
}
