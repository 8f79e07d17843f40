package io.zerorename.testing.install;

import io.zerorename.testing.docs.SourceTree;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The files that users copy, for tests of any module. */
public final class ConfExamples {
  private ConfExamples() {}

  /**
   * What one of them sets.
   *
   * @param file relative to conf-examples
   */
  public static Map<String, String> settings(String file) {
    Configuration conf = new Configuration(false);
    conf.addResource(new Path(SourceTree.root().resolve("conf-examples").resolve(file).toUri()));
    Map<String, String> settings = new TreeMap<>();
    conf.forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    return settings;
  }
}
