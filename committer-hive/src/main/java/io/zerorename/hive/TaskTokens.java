package io.zerorename.hive;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Makes MapReduce ask for the delegation tokens that the tasks of a statement need. By itself it
 * asks for those of a job's input. Tez asks for those of the tables that it writes to as well.
 */
final class TaskTokens {
  private TaskTokens() {}

  /**
   * What the sinks of a statement set in its jobs: nothing where tasks need no tokens. MapReduce
   * decides by the same question whether it asks for any (TokenCache).
   *
   * @param written where all of its sinks write
   */
  static Map<String, String> jobProperties(Collection<Path> written, Configuration conf) {
    Map<String, String> properties = new HashMap<>();
    if (UserGroupInformation.isSecurityEnabled()) {
      Set<String> servers =
          new TreeSet<>(conf.getTrimmedStringCollection(MRJobConfig.JOB_NAMENODES));
      written.forEach(path -> servers.add(new Path(path, "/").toString()));
      properties.put(MRJobConfig.JOB_NAMENODES, String.join(",", servers));
    }
    return properties;
  }
}
