package io.zerorename.cli.doctor;

import io.zerorename.cli.command.Units;
import java.util.List;
import java.util.Map;

/**
 * Whether an engine's jobs will use the committer.
 *
 * @param text that, and how many problems are in the way
 */
record Verdict(boolean ready, String text) {
  /** The check whose file does not exist, or does not name the committer, of an unused engine. */
  private static final Map<Engine, String> FIRST =
      Map.of(
          Engine.HIVE, "hive-hooks",
          Engine.MAPREDUCE, "mapreduce-committer",
          Engine.TEZ, "tez-committer",
          Engine.SPARK, "spark-committer");

  static Verdict of(Engine engine, Map<String, Finding> findings) {
    Finding first = findings.get(FIRST.get(engine));
    if (first.outcome() == Outcome.NOT_CHECKED) {
      return new Verdict(false, "NOT CHECKED, " + first.text());
    }
    List<Map.Entry<String, Finding>> relevant =
        findings.entrySet().stream()
            .filter(it -> engine.owns(it.getKey()) || !Engine.isOfOne(it.getKey()))
            .toList();
    long wrong = count(Outcome.WRONG, relevant);
    long warnings = count(Outcome.WARNING, relevant);
    if (wrong > 0) {
      return new Verdict(false, "NOT READY, " + Units.count(wrong, "problem"));
    }
    return new Verdict(
        true, "READY" + (warnings == 0 ? "" : ", " + Units.count(warnings, "warning")));
  }

  private static long count(Outcome outcome, List<Map.Entry<String, Finding>> findings) {
    return findings.stream().filter(it -> it.getValue().outcome() == outcome).count();
  }
}
