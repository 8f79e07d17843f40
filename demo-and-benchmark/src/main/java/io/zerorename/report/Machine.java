package io.zerorename.report;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hive.common.util.HiveVersionInfo;
import org.apache.tez.client.TezClient;

/** What a report was measured on, for people who compare reports. */
public final class Machine {
  private Machine() {}

  /** Names and values, in an order for people. */
  public static Map<String, String> facts() {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
    machine.put("heapMegabytes", String.valueOf(Runtime.getRuntime().maxMemory() / (1024 * 1024)));
    machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    machine.put("java", System.getProperty("java.version"));
    machine.put("hadoop", VersionInfo.getVersion());
    return machine;
  }

  /** The versions of Hive and Tez. */
  public static Map<String, String> hive() {
    return Map.of(
        "hive",
        HiveVersionInfo.getVersion(),
        "tez",
        TezClient.class.getPackage().getImplementationVersion());
  }
}
