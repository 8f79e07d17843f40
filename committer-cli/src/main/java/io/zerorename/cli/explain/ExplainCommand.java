package io.zerorename.cli.explain;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code zerorename explain}. It needs Hive on the class path. */
@Command(
    name = "explain",
    description = {
      "Prints whether a statement of Hive would be committed without renames, and if not, why."
          + " Hive compiles it, and nothing is run. For a table it explains INSERT INTO and INSERT"
          + " OVERWRITE.",
      "",
      "Exit code 1 means that Hive's own path would be used."
    },
    footer = {
      "  zerorename explain db.table",
      "  zerorename explain \"INSERT OVERWRITE TABLE db.table SELECT * FROM db.source\"",
      "  zerorename explain --conf-dir /etc/hive/conf -D hive.merge.tezfiles=false db.table"
    })
public final class ExplainCommand implements Subcommand {
  private static final String HIVE = "org/apache/hadoop/hive/ql/IDriver.class";

  @Parameters(
      paramLabel = "<SQL or table>",
      description = "One statement, in quotes, or the name of a table.")
  private String statement;

  @Override
  public ExitCode run(Session session) throws IOException {
    if (!isHiveThere(session.conf())) {
      throw new InputException(
          "ZR-9402: Hive is not on the class path, and only Hive can compile a statement; run this where"
              + " Hive's client is installed, with HIVE_HOME set");
    }
    try {
      return new Compilation(session).run(statement);
    } catch (NoClassDefFoundError e) {
      throw lacks(e);
    }
  }

  static boolean isHiveThere(Configuration conf) {
    return conf.getClassLoader().getResource(HIVE) != null;
  }

  static InputException lacks(NoClassDefFoundError e) {
    return new InputException(
        "ZR-9403: a class that Hive needs is not on the class path: " + e.getMessage(), e);
  }
}
