package io.zerorename.cli.explain;

import io.zerorename.cli.command.InputException;
import io.zerorename.hive.ExplainFailedException;
import io.zerorename.hive.TableLocations;
import io.zerorename.hive.TableLocations.Located;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Finds tables and databases by their names. Needs Hive on the class path. */
public final class MetastoreNames {
  private final Configuration conf;

  /**
   * @param conf with what hive-site.xml says
   */
  public MetastoreNames(Configuration conf) {
    this.conf = conf;
  }

  /**
   * Where a table is.
   *
   * @param name {@code database.table}
   * @throws InputException if there is none, or no Hive that knows
   */
  public Located table(String name) throws IOException {
    int dot = name.indexOf('.');
    return ask(name, tables -> tables.table(name.substring(0, dot), name.substring(dot + 1)));
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
              + " is not on S3A, and as a name of Hive's it cannot be resolved, because Hive is"
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
