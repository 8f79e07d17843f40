package io.zerorename.hive;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.Explain;
import org.apache.hadoop.hive.ql.plan.Explain.Level;

/**
 * What the commit of one INSERT must know; fixed when the statement is compiled. It is public only
 * because EXPLAIN reads it by reflection.
 */
@Explain(
    displayName = "Zero-Rename Commit",
    explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
public final class CommitWork implements Serializable {
  private static final long serialVersionUID = 1L;

  private final transient OutputSpec output;
  private final transient Path stagingRoot;
  private final transient Table table;
  private final transient List<String> dynamicColumns;
  private final boolean overwrites;

  /**
   * @param dynamicColumns the partition columns that the rows decide about, or none
   */
  CommitWork(
      OutputSpec output,
      Path stagingRoot,
      Table table,
      List<String> dynamicColumns,
      boolean overwrites) {
    this.output = requireNonNull(output, "output");
    this.stagingRoot = requireNonNull(stagingRoot, "stagingRoot");
    this.table = requireNonNull(table, "table");
    this.dynamicColumns = List.copyOf(dynamicColumns);
    this.overwrites = overwrites;
  }

  OutputSpec output() {
    return output;
  }

  /** The directory to delete when the query has ended; it holds the staging directory. */
  Path stagingRoot() {
    return stagingRoot;
  }

  Table table() {
    return table;
  }

  List<String> dynamicColumns() {
    return dynamicColumns;
  }

  boolean overwrites() {
    return overwrites;
  }

  /** The statement in a person's words. */
  String description() {
    return (overwrites ? "INSERT OVERWRITE of " : "INSERT INTO ") + table.getFullyQualifiedName();
  }

  /** The job's directory: journal and decision. */
  Path jobDirectory() {
    return new Path(output.workDir(), output.jobId());
  }

  /** For EXPLAIN. */
  @Explain(displayName = "table")
  public String getTableName() {
    return table.getFullyQualifiedName();
  }

  /** For EXPLAIN. */
  @Explain(displayName = "replace")
  public boolean getReplace() {
    return overwrites;
  }
}
