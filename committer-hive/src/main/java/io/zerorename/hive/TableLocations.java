package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.PartitionLocations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.thrift.TException;

/**
 * Finds where tables and their partitions are, by asking the metastore.
 *
 * <p>A session of Hive belongs to the thread that asks, and replaces another there.
 */
public final class TableLocations {
  private final HiveConf conf;

  /**
   * @param configuration with what hive-site.xml says, and a metastore to ask
   */
  public TableLocations(Configuration configuration) {
    this.conf = MetastoreAccess.conf(requireNonNull(configuration, "configuration"));
  }

  /**
   * Where a table is.
   *
   * @param elsewhere locations of partitions that are not below it
   */
  public record Located(Path location, List<Path> elsewhere) {
    public Located {
      elsewhere = List.copyOf(elsewhere);
    }
  }

  /** Asks the metastore. */
  @FunctionalInterface
  private interface Question<T> {
    T ask(Hive hive) throws HiveException, TException, ExplainFailedException;
  }

  /**
   * A table, as {@code database.table}.
   *
   * @throws ExplainFailedException where there is none, or it has no files
   * @throws IOException where the metastore does not answer
   */
  public Located table(String database, String table) throws ExplainFailedException, IOException {
    return ask(
        hive -> {
          Table found = hive.getTable(database, table, false);
          if (found == null) {
            throw new ExplainFailedException(
                "ZR-5113: there is no table " + database + "." + table + ".", null);
          }
          if (found.getDataLocation() == null) {
            throw new ExplainFailedException(
                "ZR-5114: " + database + "." + table + " is a view and has no files.", null);
          }
          return located(found, hive);
        });
  }

  /**
   * The location of a database, and that of each of its tables.
   *
   * @throws ExplainFailedException where there is none
   * @throws IOException where the metastore does not answer
   */
  public List<Located> database(String name) throws ExplainFailedException, IOException {
    return ask(
        hive -> {
          Database database = hive.getDatabase(name);
          if (database == null) {
            throw new ExplainFailedException("ZR-5115: there is no database " + name + ".", null);
          }
          List<Located> found = new ArrayList<>();
          found.add(new Located(new Path(database.getLocationUri()), List.of()));
          for (Table table : hive.getAllTableObjects(name)) {
            if (table.getDataLocation() != null) {
              found.add(located(table, hive));
            }
          }
          return found;
        });
  }

  private static Located located(Table table, Hive hive) throws HiveException, TException {
    Path location = table.getDataLocation();
    return new Located(
        location,
        table.isPartitioned()
            ? new PartitionLocations(hive, table)
                .locations().stream()
                    .filter(it -> !ObjectKeys.isAtOrBelow(it, location))
                    .sorted()
                    .toList()
            : List.of());
  }

  private <T> T ask(Question<T> question) throws ExplainFailedException, IOException {
    MetastoreAccess.require(conf);
    // The hook of Hive's client that hides what a user may not see asks the session who that is.
    SessionState.setCurrentSessionState(new SessionState(conf));
    try {
      return question.ask(Hive.getWithoutRegisterFns(conf));
    } catch (HiveException | TException | RuntimeException e) {
      throw MetastoreAccess.failure(e);
    } finally {
      Hive.closeCurrent();
      SessionState.detachSession();
    }
  }
}
