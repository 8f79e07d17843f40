package io.zerorename.testing.hive;

/** The ways to commit an INSERT that are compared. */
public enum Subject {
  STOCK("stock", "stock", "Hive default"),
  /** With {@code hive.use.scratchdir.for.staging=true}. */
  STOCK_SCRATCH("stockScratch", "stock-scratch", "Hive + scratch staging"),
  ZERO_RENAME("zerorename", "zero-rename", "zero-rename");

  /** The name that users configure. */
  private static final String HOOK = "io.zerorename.hive.ZeroRenameHook";

  private final String key;
  private final String id;
  private final String title;

  Subject(String key, String id, String title) {
    this.key = key;
    this.id = id;
    this.title = title;
  }

  /** Its name in report.json. */
  public String key() {
    return key;
  }

  /** Its name on command lines, in the benchmark's report.json and in tables' names. */
  public String id() {
    return id;
  }

  /** Its name in reports for a person. */
  public String title() {
    return title;
  }

  /** Its table, of which the directory in the bucket has the same name. */
  public String table() {
    return "sales_" + id.replace('-', '_');
  }

  /** Makes the next statements run this way; nothing else differs between subjects. */
  public void configure(LocalHive hive) {
    hive.set("hive.use.scratchdir.for.staging", String.valueOf(this == STOCK_SCRATCH));
    if (this == ZERO_RENAME) {
      hive.set("hive.semantic.analyzer.hook", HOOK);
      hive.set("hive.query.lifetime.hooks", HOOK);
    } else {
      hive.unset("hive.semantic.analyzer.hook");
      hive.unset("hive.query.lifetime.hooks");
    }
  }
}
