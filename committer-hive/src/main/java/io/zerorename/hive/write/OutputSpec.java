package io.zerorename.hive.write;

import io.zerorename.core.config.DeclaredKeys;
import java.util.Properties;
import org.apache.hadoop.fs.Path;

/**
 * What a writer must know about the INSERT that it belongs to. It travels to the tasks in the
 * properties of the sink's table descriptor, which is the one thing that Hive hands to an output
 * format.
 *
 * @param outputFormat class name of the table's own output format
 * @param destination where the files belong that Hive puts directly into the staging directory
 * @param branch the directory in which the branch of a UNION ALL writes, in the staging directory
 *     or, for dynamic partitions, in each partition's; "" where there are no branches
 * @param staging the sink's directory on the scratch file system; in it manifests take the place of
 *     data
 * @param jobId a UUID of this execution of the statement
 * @param workDir the directory that holds the job's own
 */
public record OutputSpec(
    String outputFormat,
    Path destination,
    Path staging,
    String branch,
    String jobId,
    Path workDir) {
  /**
   * Of the properties and their meaning. Tasks may run in a process that was started with the jar
   * of another release, as LLAP's daemons are, and must not write by half of the properties.
   */
  private static final int VERSION = 1;

  private static final String VERSION_PROPERTY = DeclaredKeys.INTERNAL + "output.version";
  private static final String OUTPUT_FORMAT = DeclaredKeys.INTERNAL + "output.format";
  private static final String DESTINATION = DeclaredKeys.INTERNAL + "output.destination";
  private static final String STAGING = DeclaredKeys.INTERNAL + "output.staging";
  private static final String BRANCH = DeclaredKeys.INTERNAL + "output.branch";
  private static final String JOB_ID = DeclaredKeys.INTERNAL + "output.job.id";
  private static final String WORK_DIR = DeclaredKeys.INTERNAL + "output.work.dir";

  /** The same for a branch of a UNION ALL. */
  public OutputSpec ofBranch(String name) {
    return new OutputSpec(outputFormat, destination, staging, name, jobId, workDir);
  }

  /** The directory in which Hive's tasks write. */
  public Path directory() {
    return branch.isEmpty() ? staging : new Path(staging, branch);
  }

  /** A copy of a table's properties that carries this as well. */
  public Properties addTo(Properties tableProperties) {
    Properties result = new Properties();
    // First: properties of the user's table must not say where tasks write.
    result.putAll(tableProperties);
    result.setProperty(VERSION_PROPERTY, Integer.toString(VERSION));
    result.setProperty(OUTPUT_FORMAT, outputFormat);
    result.setProperty(DESTINATION, destination.toString());
    result.setProperty(STAGING, staging.toString());
    result.setProperty(BRANCH, branch);
    result.setProperty(JOB_ID, jobId);
    result.setProperty(WORK_DIR, workDir.toString());
    return result;
  }

  /**
   * Reads the properties of a rewritten plan.
   *
   * @throws IllegalStateException if the properties are not those of a rewritten plan, or are of
   *     one that another release has made
   */
  static OutputSpec from(Properties tableProperties) {
    String outputFormat = required(tableProperties, OUTPUT_FORMAT);
    String version = tableProperties.getProperty(VERSION_PROPERTY, "none");
    if (!version.equals(Integer.toString(VERSION))) {
      throw new IllegalStateException(
          ("ZR-2302: This task cannot read the plan that HiveServer2 has made: the plan has"
                  + " version %s and this committer reads version %s; the same release must be on"
                  + " all machines, in LLAP's daemons too")
              .formatted(version, VERSION));
    }
    return new OutputSpec(
        outputFormat,
        new Path(required(tableProperties, DESTINATION)),
        new Path(required(tableProperties, STAGING)),
        required(tableProperties, BRANCH),
        required(tableProperties, JOB_ID),
        new Path(required(tableProperties, WORK_DIR)));
  }

  private static String required(Properties properties, String name) {
    String value = properties.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(
          ("ZR-2303: The table descriptor of this sink has no property %s: %s serves only plans"
                  + " that ZeroRenameHook has made and must not be named in a table's definition."
                  + " Give the table its real output format.")
              .formatted(name, PendingOutputFormat.class.getName()));
    }
    return value;
  }
}
