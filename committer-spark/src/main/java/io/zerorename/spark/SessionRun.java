package io.zerorename.spark;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/** The run of a write that adds files, by the id that is set in its session. */
final class SessionRun {
  private SessionRun() {}

  /**
   * Sends no request.
   *
   * @param adds whether the write replaces nothing
   * @param write what is known of the statement
   * @param conf of the write: what SparkConf has for Hadoop, then all keys of the session, then the
   *     write's options, among which a table's are
   * @return empty where there is no id, or the write may be repeated without one
   * @throws IOException if the write must not be run with the id
   */
  static Optional<RunId> of(
      Path destination, boolean adds, Optional<PlannedWrite> write, Configuration conf)
      throws IOException {
    if (conf.getRaw(CoreKeys.RUN_ID.name()) == null) {
      return Optional.empty();
    }
    Optional<String> id = RunId.idIn(conf);
    if (!isOfSession(conf)) {
      throw new IOException(
          ("ZR-7136: Cannot write to %s: %s is an option of the write, or of its table, and not of"
                  + " the session. A table would keep it, and take its later writes for"
                  + " repetitions. Nothing was written. Set it by SET, by spark.conf.set or as"
                  + " spark.hadoop.%s.")
              .formatted(destination, CoreKeys.RUN_ID.name(), CoreKeys.RUN_ID.name()));
    }
    if (id.isPresent() && !adds && RunningStatement.makesWhatItAppendsTo(destination)) {
      throw new IOException(
          ("ZR-7140: Cannot write to %s with %s=%s: the statement appends to a table that it makes."
                  + " A repetition finds the table, and would add the rows again. Nothing was"
                  + " written. Make the table by CREATE TABLE before, or unset the key for this"
                  + " statement.")
              .formatted(destination, CoreKeys.RUN_ID.name(), id.get()));
    }
    if (id.isEmpty() || !adds || write.filter(PlannedWrite::creates).isPresent()) {
      return Optional.empty();
    }
    if (destination.getName().equals(JobWrite.STAGED)) {
      if (RunningStatement.isOverwriteOfHive()) {
        return Optional.empty();
      }
      throw new IOException(
          ("ZR-7135: Cannot write to %s with %s=%s: Spark's own plan of the statement moves the"
                  + " files to their table afterwards, so that a repetition would add its rows"
                  + " again. Nothing was written. ZR-7112 in the driver's log says why the plan was"
                  + " kept. Change that, or unset the key for this statement.")
              .formatted(destination, CoreKeys.RUN_ID.name(), id.get()));
    }
    // A statement may write to each of several partitions.
    String partition = write.map(PlannedWrite::staticPrefix).orElse("");
    String target =
        partition.isEmpty() ? destination.toString() : destination + Path.SEPARATOR + partition;
    return id.map(it -> new RunId(it, target, ""));
  }

  /** Whether a write has the id of its session, or neither has one. */
  static boolean isOfSession(Configuration conf) {
    return RunId.idIn(conf)
        .equals(RunId.idIn(SparkSession.active().sessionState().newHadoopConf()));
  }
}
