package io.zerorename.hive;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.PartitionLocations;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
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
  private TableLocations() {}

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

  /**
   * Finds a table.
   *
   * @param name {@code database.table}
   * @param configuration with what hive-site.xml says, and a metastore to ask
   * @throws TableLookupException where there is none, or the table has no files
   * @throws IOException where the metastore does not answer
   */
  public static Located find(String name, Configuration configuration)
      throws TableLookupException, IOException {
    HiveConf conf = MetastoreAccess.conf(configuration);
    MetastoreAccess.require(conf);
    // The hook of Hive's client that hides what a user may not see asks the session who that is.
    SessionState.setCurrentSessionState(new SessionState(conf));
    try {
      return table(name, Hive.getWithoutRegisterFns(conf));
    } catch (HiveException | TException | RuntimeException e) {
      throw MetastoreAccess.failure(e);
    } finally {
      Hive.closeCurrent();
      SessionState.detachSession();
    }
  }

  private static Located table(String name, Hive hive)
      throws TableLookupException, HiveException, TException {
    Table table = hive.getTable(name, false);
    if (table == null) {
      throw new TableLookupException("ZR-5113: there is no table " + name + ".", null);
    }
    if (table.getDataLocation() == null) {
      throw new TableLookupException("ZR-5114: " + name + " is a view and has no files.", null);
    }
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
}
