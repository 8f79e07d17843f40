package io.zerorename.hive.plan;

import org.apache.hadoop.hive.ql.lib.Node;
import org.apache.hadoop.hive.ql.parse.ASTNode;

/** What kind of statement the parser saw, as far as the committer must know. */
public enum Statement {
  /**
   * A query that may insert. With IF NOT EXISTS, too: Hive plans nothing where the partition
   * exists.
   */
  QUERY,
  /** A table with the rows of a query. */
  CREATE_TABLE_AS_SELECT,
  /** A query that was prepared before, whose plan Hive makes from that of its preparation. */
  EXECUTE,
  /** A statement that is planned to be executed later; its plan is never run. */
  PREPARE,
  /** Anything else that may write: LOAD, MERGE. */
  OTHER;

  /**
   * The kind of a statement, or of the one that it explains. Tokens are compared by name, because
   * their numbers change from one Hive version to the next.
   */
  public static Statement of(ASTNode tree) {
    return switch (tree.getToken().getText()) {
      case "TOK_QUERY" -> QUERY;
      case "TOK_CREATETABLE" -> hasQuery(tree) ? CREATE_TABLE_AS_SELECT : OTHER;
      case "TOK_EXECUTE" -> EXECUTE;
      case "TOK_PREPARE" -> PREPARE;
      case "TOK_EXPLAIN" -> of((ASTNode) tree.getChild(0));
      default -> OTHER;
    };
  }

  private static boolean hasQuery(ASTNode tree) {
    return tree.getChildren().stream()
        .anyMatch(
            (Node child) ->
                child instanceof ASTNode node && "TOK_QUERY".equals(node.getToken().getText()));
  }

  /** Whether it is an INSERT, of which the committer says why it does not write it. */
  public boolean isCovered() {
    return this == QUERY || this == CREATE_TABLE_AS_SELECT || this == EXECUTE;
  }
}
