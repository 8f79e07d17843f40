package io.zerorename.cli;

import io.zerorename.hive.TableLocations;
import io.zerorename.hive.TableLocations.Located;
import io.zerorename.hive.TableLocations.TableLookupException;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/**
 * Finds tables by their names. Needs Hive on the class path; apart from what resolves paths, which
 * runs without the classes that this one catches.
 */
final class MetastoreNames {
  private static final String HIVE = "org/apache/hadoop/hive/ql/metadata/Hive.class";

  private MetastoreNames() {}

  /**
   * Where a table is.
   *
   * @param name {@code database.table}
   * @param conf with what hive-site.xml says
   * @throws InputException if there is none, or no Hive that knows
   */
  static Located find(String name, Configuration conf) throws IOException {
    if (conf.getClassLoader().getResource(HIVE) == null) {
      throw new InputException(
          ("ZR-9404: %s is not on S3A, and as a name of Hive's it cannot be resolved, because"
                  + " Hive is not on the class path; give a path such as"
                  + " s3a://bucket/warehouse/db.db/table, or run this where Hive's client is"
                  + " installed, with HIVE_HOME set")
              .formatted(name));
    }
    try {
      return TableLocations.find(name, conf);
    } catch (TableLookupException e) {
      throw new InputException("ZR-9405: Cannot find " + name + ": " + e.getMessage(), e);
    } catch (NoClassDefFoundError e) {
      throw new InputException(
          "ZR-9403: a class that Hive needs is not on the class path: " + e.getMessage(), e);
    }
  }
}
