package io.zerorename.cli.doctor;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.FixedSetting;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.config.TrashMode;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveKeys.LlapMode;
import io.zerorename.hive.config.HiveKeys.MergeMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Checks that Hive's settings let INSERTs use the committer. A setting that keeps all INSERTs from
 * it is wrong, one that keeps some from it is a warning. Defaults are those of Hive 4.1.
 *
 * @param conf with hive-site.xml
 * @param bucket whose own values take precedence
 */
record HiveChecks(Configuration conf, ClusterFiles files, Optional<String> bucket) {
  private static final String FILE = "hive-site.xml";

  List<Check> all() {
    return List.of(
        check("hive-hooks", this::hooks),
        check("hive-switch", this::enabled),
        check("hive-engine", this::engine),
        check("hive-conditional-tasks", this::conditionalTasks),
        check("hive-replication", this::replication),
        check("hive-trash", this::trash),
        check("hive-scratch", this::scratch));
  }

  private Check check(String name, Check.Test test) {
    return new Check(name, () -> files.has(FILE) ? test.run() : ClusterFiles.missing(FILE));
  }

  private Finding hooks() {
    List<Remedy> remedies = new ArrayList<>();
    for (FixedSetting setting : HiveKeys.hooks()) {
      String wanted = setting.value();
      String hooks = conf.getTrimmed(setting.key(), "");
      if (Arrays.stream(hooks.split(",", -1)).noneMatch(hook -> hook.trim().equals(wanted))) {
        remedies.add(set(setting.key(), hooks.isEmpty() ? wanted : hooks + "," + wanted));
      }
    }
    return remedies.isEmpty()
        ? Finding.ok("both hooks are set")
        : new Finding(
            Outcome.WRONG,
            "without both hooks of the committer every INSERT keeps Hive's own path",
            remedies);
  }

  private Finding enabled() {
    ConfigKey<Boolean> key = HiveKeys.ENABLED;
    String name = bucket.map(it -> key.nameIn(conf, it)).orElse(key.name());
    return bucket.map(it -> key.from(conf, it)).orElseGet(() -> key.from(conf))
        ? Finding.ok(name + " is true")
        : Finding.warning(
            name + " is false, so that every INSERT keeps Hive's own path", set(name, "true"));
  }

  private Finding engine() {
    String engine = engineName();
    if (!engine.equals("tez") && !engine.equals("mr")) {
      return Finding.wrong(
          "hive.execution.engine is " + engine + "; only tez and mr are supported",
          set("hive.execution.engine", "tez"));
    }
    if (engine.equals("tez")
        && conf.getTrimmed("hive.execution.mode", "").equalsIgnoreCase("llap")) {
      ConfigKey<LlapMode> key = HiveKeys.LLAP;
      return key.from(conf) == LlapMode.COMMIT
          ? Finding.warning(
              ("hive.execution.mode is llap and %s is commit: INSERTs fail unless each daemon has"
                      + " the committer's jar, which is not checked here")
                  .formatted(key.name()))
          : Finding.wrong(
              ("hive.execution.mode is llap, and INSERTs keep Hive's own path until %s says that"
                      + " each daemon has the committer's jar: package the daemons with it first, or"
                      + " INSERTs fail")
                  .formatted(key.name()),
              set(key.name(), "commit"));
    }
    return Finding.ok(engine);
  }

  private String engineName() {
    return conf.getTrimmed("hive.execution.engine", "tez").toLowerCase(Locale.ROOT);
  }

  private Finding conditionalTasks() {
    if (HiveKeys.MERGE.from(conf) == MergeMode.COMMIT) {
      return Finding.ok(HiveKeys.MERGE.name() + "=commit");
    }
    List<Remedy> remedies = new ArrayList<>();
    boolean mr = engineName().equals("mr");
    if (mr) {
      requireOff("hive.merge.mapfiles", true, remedies);
      requireOff("hive.merge.mapredfiles", false, remedies);
    } else {
      requireOff("hive.merge.tezfiles", false, remedies);
    }
    if (!remedies.isEmpty()) {
      return new Finding(
          mr ? Outcome.WARNING : Outcome.WRONG,
          "small files are merged after the write, and %s Hive's own path (CONDITIONAL_TASK)"
              .formatted(mr ? "INSERTs of that kind keep" : "every INSERT keeps"),
          remedies);
    }
    String joins = "hive.auto.convert.join.noconditionaltask";
    if (mr && conf.getBoolean("hive.auto.convert.join", true) && !conf.getBoolean(joins, true)) {
      return Finding.warning(
          joins
              + " is false: joins that are resolved at run time keep Hive's own path"
              + " (CONDITIONAL_TASK)",
          set(joins, "true"));
    }
    return Finding.ok("small files are not merged after the write");
  }

  private void requireOff(String property, boolean byDefault, List<Remedy> remedies) {
    if (conf.getBoolean(property, byDefault)) {
      remedies.add(set(property, "false"));
    }
  }

  private Finding replication() {
    String property = "hive.repl.cm.enabled";
    return conf.getBoolean(property, false)
        ? Finding.warning(
            property
                + " is true: Hive keeps overwritten files, and every INSERT OVERWRITE keeps Hive's"
                + " own path (REPLICATION)",
            set(property, "false"))
        : Finding.ok(property + " is false");
  }

  private Finding trash() {
    String property = "fs.trash.interval";
    if (conf.getFloat(property, 0) <= 0) {
      return Finding.ok(property + " is 0");
    }
    ConfigKey<TrashMode> key = TrashMode.KEY;
    String name = bucket.map(it -> key.nameIn(conf, it)).orElse(key.name());
    return bucket.map(it -> key.from(conf, it)).orElseGet(() -> key.from(conf)) == TrashMode.DELETE
        ? Finding.ok(property + " is above 0, and " + name + " is delete")
        : Finding.warning(
            property
                + " is above 0: overwritten files go to Trash, and every INSERT OVERWRITE keeps"
                + " Hive's own path (TRASH). If they may be deleted for good, set"
                + " 'auto.purge'='true' on a table, or for all tables",
            set(name, "delete"));
  }

  private Finding scratch() throws IOException {
    Optional<String> workDir = CoreKeys.WORK_DIR.find(conf);
    String property = workDir.isPresent() ? CoreKeys.WORK_DIR.name() : "hive.exec.scratchdir";
    Path path = new Path(workDir.orElseGet(() -> conf.getTrimmed(property, "/tmp/hive")));
    Remedy remedy = set(CoreKeys.WORK_DIR.name(), "hdfs:///tmp/hive");
    String found = property + " is " + path + ", on ";
    if (S3AFileSystems.holds(path, conf)) {
      return Finding.wrong(
          found + "S3, which has no renames; manifests must be renamed (SCRATCH_ON_S3)", remedy);
    }
    String scheme = path.getFileSystem(conf).getScheme();
    return switch (scheme) {
      case "hdfs", "viewfs", "webhdfs" -> Finding.ok(path + " is on " + scheme);
      case "file" ->
          Finding.warning(
              found + "this machine's own disk: tasks of other nodes do not see it", remedy);
      default ->
          Finding.warning(
              found + scheme + ": the committer needs a file system whose rename is atomic",
              remedy);
    };
  }

  private static Remedy set(String property, String value) {
    return Remedy.set(property, value, FILE);
  }
}
