package io.zerorename.hive.matrix;

import java.util.Map;
import java.util.regex.Pattern;

/** Plans of two compilations. */
public final class Plans {
  private static final Map<Pattern, String> VARYING =
      Map.of(
          Pattern.compile("hive_[0-9]{4}-[-_0-9]+"), "hive_QUERY",
          Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID",
          Pattern.compile("root_[0-9]{14}_"), "root_TIME_",
          Pattern.compile("Stage-[0-9]+"), "Stage-N",
          Pattern.compile("\"DagName:\":\"[^\"]*\""), "DAG",
          Pattern.compile("\"DagId:\":\"[^\"]*\""), "DAG",
          Pattern.compile("transient_lastDdlTime\":\"[0-9]+"), "DDL");

  private Plans() {}

  /** A plan without what differs between two compilations of one statement. */
  public static String comparable(String plan) {
    String result = plan;
    for (Map.Entry<Pattern, String> rule : VARYING.entrySet()) {
      result = rule.getKey().matcher(result).replaceAll(rule.getValue());
    }
    return result;
  }
}
