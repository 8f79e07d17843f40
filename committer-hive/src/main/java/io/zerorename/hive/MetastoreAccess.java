package io.zerorename.hive;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.conf.MetastoreConf;
import org.apache.thrift.transport.TTransportException;

/** What commands need to ask the metastore, and how it fails. */
final class MetastoreAccess {
  private static final String DERBY = "jdbc:derby:;databaseName=metastore_db";

  /** In the message of Hive's client where no metastore answers. */
  private static final String NOT_CONNECTED = "Could not connect to meta store";

  private MetastoreAccess() {}

  /** Hive's settings, with what a configuration says over Hive's defaults. */
  static HiveConf conf(Configuration configuration) {
    HiveConf conf = new HiveConf(configuration, MetastoreAccess.class);
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
  static void require(HiveConf conf) throws TableLookupException {
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
  static TableLookupException failure(Exception e) throws IOException {
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

  static String oneLine(Throwable failure) {
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
