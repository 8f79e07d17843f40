package io.zerorename.demo;

import io.zerorename.demo.DemoOptions.Engine;
import io.zerorename.report.Machine;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Sales;
import io.zerorename.testing.hive.Sales.Layout;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.hive.Subject;
import io.zerorename.testing.hive.Timeline;
import io.zerorename.testing.s3server.S3Access;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.apache.hadoop.hive.ql.metadata.Table;

/** Hive in this JVM, on Tez or on MapReduce. */
record HiveEngine(LocalHive hive, Engine engine, Layout layout) implements SqlEngine {
  static HiveEngine start(DemoOptions options, Layout layout, Path work, S3Access s3)
      throws IOException {
    Engine engine = options.engine;
    Map<String, String> settings = new HashMap<>(s3.settings());
    // A count is to be counted, not taken from the statistics that are under test.
    settings.put("hive.compute.query.using.stats", "false");
    settings.put("hive.query.results.cache.enabled", "false");
    if (engine == Engine.MR) {
      settings.put("hive.execution.engine", "mr");
      settings.put("hive.auto.convert.join", "false");
      settings.put("hive.merge.mapfiles", "false");
    }
    settings.put("hive.merge.tezfiles", String.valueOf(options.merge));
    settings.put("hive.merge.mapredfiles", String.valueOf(options.merge));
    if (options.merge) {
      settings.put("zerorename.hive.merge", "commit");
    }
    if (layout != Layout.FILE_PER_PARTITION) {
      settings.put("mapreduce.job.reduces", String.valueOf(options.tasks));
      // Otherwise Hive sends all rows of a partition to one task.
      settings.put("hive.optimize.sort.dynamic.partition.threshold", "-1");
    }
    return new HiveEngine(
        LocalHive.start(Files.createDirectories(work.resolve("hive")), settings), engine, layout);
  }

  @Override
  public EngineFacts facts() {
    return facts(engine);
  }

  static EngineFacts facts(Engine engine) {
    Map<Phase, String> phases = new EnumMap<>(Phase.class);
    Arrays.stream(Phase.values()).forEach(phase -> phases.put(phase, phase.explanation()));
    return new EngineFacts(
        "Hive",
        engine == Engine.TEZ ? "Hive on Tez" : "Hive on MapReduce",
        phases,
        Optional.empty());
  }

  @Override
  public Map<String, String> versions() {
    return Machine.hive();
  }

  @Override
  public List<Way> ways() {
    return Arrays.stream(Subject.values()).map(subject -> way(subject, layout)).toList();
  }

  /**
   * Hive's own path may leave empty directory markers, one in each partition with scratch staging;
   * the committer must not.
   */
  static Way way(Subject subject, Layout layout) {
    boolean isOurs = subject == Subject.ZERO_RENAME;
    String dataFile = layout.directory() + "\\d{6}_\\d[^/]*";
    return new Way(
        subject.key(),
        subject.title(),
        subject == Subject.STOCK_SCRATCH ? "scratch" : "default",
        subject.table(),
        isOurs,
        Pattern.compile(isOurs ? dataFile + "|" : dataFile + "|.*/|"),
        Pattern.compile(
            isOurs
                ? ".*zero-rename: committed INSERT OVERWRITE of default\\."
                    + subject.table()
                    + "\\b.*"
                : ""));
  }

  @Override
  public void use(Way way) {
    Arrays.stream(Subject.values())
        .filter(subject -> subject.key().equals(way.key()))
        .forEach(subject -> subject.configure(hive));
  }

  @Override
  public List<String> execute(String statement) throws StatementFailedException {
    return hive.execute(statement);
  }

  @Override
  public Timeline timeline() {
    return new Timeline(hive.times());
  }

  @Override
  public List<String> committerLines() {
    return hive.console().lines().filter(line -> line.startsWith("zero-rename:")).toList();
  }

  @Override
  public Map<String, Map<String, String>> partitions(String table) throws IOException {
    try {
      Table known = hive.metastore().getTable("default", table);
      if (!known.isPartitioned()) {
        return Map.of(Sales.WHOLE_TABLE, known.getParameters());
      }
      Map<String, Map<String, String>> partitions = new HashMap<>();
      for (Partition partition : hive.metastore().getPartitions(known)) {
        partitions.put(partition.getName(), partition.getParameters());
      }
      return partitions;
    } catch (HiveException e) {
      throw new IOException("Hive's metastore does not answer for the table " + table, e);
    }
  }

  @Override
  public void close() throws IOException {
    hive.close();
  }
}
