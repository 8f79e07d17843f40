package io.zerorename.testing.hive;

/** The ways to commit an INSERT that are compared. */
public enum Subject {
  STOCK("stock", "stock", "Hive's own rename path, as it is by default"),
  STOCK_SCRATCH(
      "stockScratch",
      "stock-scratch",
      "Hive's own rename path with hive.use.scratchdir.for.staging=true"),
  ZERO_RENAME("zerorename", "zero-rename", "through " + Subject.HOOK);

  /** The name that users configure. */
  private static final String HOOK = "io.zerorename.hive.ZeroRenameHook";

  private final String key;
  private final String title;
  private final String description;

  Subject(String key, String title, String description) {
    this.key = key;
    this.title = title;
    this.description = description;
  }

  /** Its name in report.json. */
  public String key() {
    return key;
  }

  public String title() {
    return title;
  }

  /** In a person's words. */
  public String description() {
    return description;
  }

  /** Its table, of which the directory in the bucket has the same name. */
  public String table() {
    return "sales_" + title.replace('-', '_');
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
