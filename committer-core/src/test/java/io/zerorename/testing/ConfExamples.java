package io.zerorename.testing;

import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The files that users copy, for tests of any module. */
public final class ConfExamples {
  private static final String DIRECTORY = "conf-examples";

  private ConfExamples() {}

  /**
   * What one of them sets.
   *
   * @param file relative to conf-examples
   */
  public static Map<String, String> settings(String file) {
    Configuration conf = new Configuration(false);
    conf.addResource(new Path(new File(directory(), file).toURI()));
    Map<String, String> settings = new TreeMap<>();
    conf.forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    return settings;
  }

  private static File directory() {
    for (File above = new File("").getAbsoluteFile();
        above != null;
        above = above.getParentFile()) {
      File directory = new File(above, DIRECTORY);
      if (directory.isDirectory()) {
        return directory;
      }
    }
    throw new IllegalStateException("there is no " + DIRECTORY + " above the working directory");
  }
}
