package io.zerorename.cli;

import io.zerorename.cli.doctor.Finding;
import io.zerorename.cli.doctor.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** An engine, and its own checks, which its word begins; all others are for each engine. */
enum Engine {
  HIVE("Hive", "hive-hooks"),
  MAPREDUCE("MapReduce", "mapreduce-committer"),
  TEZ("Tez", "tez-committer"),
  SPARK("Spark", "spark-committer");

  /** How the verdict on an engine begins whose jobs will use the committer. */
  static final String READY = "READY";

  private final String title;

  /** The check whose file does not exist, or does not name the committer, of an unused engine. */
  private final String first;

  Engine(String title, String first) {
    this.title = title;
    this.first = first;
  }

  String title() {
    return title;
  }

  private boolean owns(String check) {
    return check.startsWith(Output.word(this) + "-");
  }

  /** Whether the engine's jobs will use the committer, and how many problems are in the way. */
  String verdict(Map<String, Finding> findings) {
    if (findings.get(first).outcome() == Outcome.NOT_CHECKED) {
      return "NOT CHECKED, " + findings.get(first).text();
    }
    List<Outcome> relevant =
        findings.entrySet().stream()
            .filter(
                it ->
                    owns(it.getKey())
                        || Arrays.stream(values()).noneMatch(engine -> engine.owns(it.getKey())))
            .map(it -> it.getValue().outcome())
            .toList();
    long wrong = relevant.stream().filter(Outcome.WRONG::equals).count();
    long warnings = relevant.stream().filter(Outcome.WARNING::equals).count();
    if (wrong > 0) {
      return "NOT READY, " + Units.count(wrong, "problem");
    }
    return READY + (warnings == 0 ? "" : ", " + Units.count(warnings, "warning"));
  }
}
