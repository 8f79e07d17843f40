package io.zerorename.cli.explain;

import io.zerorename.cli.command.InputException;
import io.zerorename.hive.ExplainFailedException;
import io.zerorename.hive.TableLocations;
import io.zerorename.hive.TableLocations.Located;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/** Names of tables and databases in place of paths. They need Hive on the class path. */
public final class MetastoreNames {
  private static final Pattern TABLE = Pattern.compile("(\\w+)\\.(\\w+)");
  private static final Pattern DATABASE = Pattern.compile("\\w+");

  private final Configuration conf;

  /**
   * @param conf with what hive-site.xml says
   */
  public MetastoreNames(Configuration conf) {
    this.conf = conf;
  }

  /** Whether a word is {@code database.table}, and no path. */
  public static boolean isTable(String word) {
    return TABLE.matcher(word).matches();
  }

  /** The same, where a word may also name a local file, or a report. */
  public static boolean isTableAndNoReport(String word) {
    return isTable(word) && !word.endsWith(".json") && !new File(word).exists();
  }

  /** Whether a word is a database's name, and no path. */
  public static boolean isDatabase(String word) {
    return DATABASE.matcher(word).matches();
  }

  /**
   * Where a table is.
   *
   * @throws InputException if there is none, or no Hive that knows
   */
  public Located table(String name) throws IOException {
    Matcher parts = TABLE.matcher(name);
    if (!parts.matches()) {
      throw new IllegalArgumentException(name);
    }
    return ask(name, tables -> tables.table(parts.group(1), parts.group(2)));
  }

  /**
   * Where a database is, and then each of its tables.
   *
   * @throws InputException if there is none, or no Hive that knows
   */
  public List<Located> database(String name) throws IOException {
    return ask(name, tables -> tables.database(name));
  }

  @FunctionalInterface
  private interface Question<T> {
    T ask(TableLocations tables) throws ExplainFailedException, IOException;
  }

  private <T> T ask(String name, Question<T> question) throws IOException {
    if (!ExplainCommand.isHiveThere(conf)) {
      throw new InputException(
          "ZR-9404: "
              + name
              + " is not on S3A, and as a name of Hive's it cannot be looked up, because Hive is"
              + " not on the class path; give a path such as s3a://bucket/warehouse/db.db/table, or"
              + " run this where Hive's client is installed, with HIVE_HOME set");
    }
    try {
      return question.ask(new TableLocations(conf));
    } catch (ExplainFailedException e) {
      throw new InputException("ZR-9405: Cannot find " + name + ": " + e.getMessage(), e);
    } catch (NoClassDefFoundError e) {
      throw ExplainCommand.lacks(e);
    }
  }
}
