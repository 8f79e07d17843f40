package io.zerorename.hive;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.metastore.PartitionLocations;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.conf.MetastoreConf;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;

/**
 * Finds where tables and their partitions are, by asking the metastore.
 *
 * <p>A session of Hive belongs to the thread that asks, and replaces another there.
 */
public final class TableLocations {
  private static final String DERBY = "jdbc:derby:;databaseName=metastore_db";

  /** In the message of Hive's client where no metastore answers. */
  private static final String NOT_CONNECTED = "Could not connect to meta store";

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

  /** Hive has no such table or database, or cannot be asked. The message is one line. */
  public static final class TableLookupException extends Exception {
    private static final long serialVersionUID = 1L;

    TableLookupException(String message, Throwable cause) {
      super(message, cause);
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
    HiveConf conf = conf(configuration);
    require(conf);
    // The hook of Hive's client that hides what a user may not see asks the session who that is.
    SessionState.setCurrentSessionState(new SessionState(conf));
    try {
      return table(name, Hive.getWithoutRegisterFns(conf));
    } catch (HiveException | TException | RuntimeException e) {
      throw failure(e);
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

  /** Hive's settings, with what a configuration says over Hive's defaults. */
  private static HiveConf conf(Configuration configuration) {
    HiveConf conf = new HiveConf(configuration, TableLocations.class);
    // HiveConf has put its defaults on top.
    for (Map.Entry<String, String> entry : configuration) {
      if (!isDefault(configuration.getPropertySources(entry.getKey()))) {
        conf.set(entry.getKey(), entry.getValue());
      }
    }
    return conf;
  }

  private static boolean isDefault(String[] sources) {
    return sources != null
        && sources.length > 0
        && sources[sources.length - 1].endsWith("-default.xml");
  }

  /** Hive would make a metastore in the current directory. */
  private static void require(HiveConf conf) throws TableLookupException {
    if (MetastoreConf.getVar(conf, MetastoreConf.ConfVars.THRIFT_URIS).isBlank()
        && MetastoreConf.getVar(conf, MetastoreConf.ConfVars.CONNECT_URL_KEY).startsWith(DERBY)) {
      throw new TableLookupException(
          "ZR-5102: there is no metastore to ask: hive.metastore.uris is not set. Name the"
              + " directory with the cluster's hive-site.xml by --conf-dir.",
          null);
    }
  }

  /**
   * Why the metastore has failed.
   *
   * @throws IOException if it does not answer
   */
  private static TableLookupException failure(Exception e) throws IOException {
    if (isUnanswered(e)) {
      throw new IOException("ZR-5103: the metastore does not answer: " + oneLine(e), e);
    }
    return e instanceof TableLookupException failed
        ? failed
        : new TableLookupException(oneLine(e), e);
  }

  /** Hive's client of the metastore puts the cause into a text. */
  private static boolean isUnanswered(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof TTransportException
          || String.valueOf(cause.getMessage()).contains(NOT_CONNECTED)) {
        return true;
      }
    }
    return false;
  }

  private static String oneLine(Throwable failure) {
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage() == null ? cause : cause.getMessage())
        .strip()
        .replaceFirst("^FAILED: ", "")
        .replaceAll("\\s*\\R\\s*", " ");
  }
}
