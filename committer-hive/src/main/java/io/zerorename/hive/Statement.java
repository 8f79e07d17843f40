package io.zerorename.hive;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hive.ql.lib.Node;
import org.apache.hadoop.hive.ql.parse.ASTNode;

/** What kind of statement the parser saw, as far as the committer must know. */
enum Statement {
  /** A query that may insert: its parse tree starts with TOK_QUERY. */
  QUERY,
  /** A table with the rows of a query. */
  CREATE_TABLE_AS_SELECT,
  /** EXPLAIN in any form: whatever it plans is not run for its output. */
  EXPLAIN,
  /** Anything else that may write: LOAD, MERGE, EXECUTE, INSERT … IF NOT EXISTS. */
  OTHER;

  /**
   * Tokens are compared by name, because their numbers change from one Hive version to the next.
   */
  static Statement of(ASTNode tree) {
    return switch (tree.getToken().getText()) {
      case "TOK_QUERY" -> mentions(tree, "TOK_IFNOTEXISTS") ? OTHER : QUERY;
      case "TOK_CREATETABLE" -> mentions(tree, "TOK_QUERY") ? CREATE_TABLE_AS_SELECT : OTHER;
      case "TOK_EXPLAIN" -> EXPLAIN;
      default -> OTHER;
    };
  }

  private static boolean mentions(ASTNode tree, String token) {
    Deque<Node> open = new ArrayDeque<>();
    open.push(tree);
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (node instanceof ASTNode ast
          && ast.getToken() != null
          && token.equals(ast.getToken().getText())) {
        return true;
      }
      if (node.getChildren() != null) {
        node.getChildren().forEach(open::push);
      }
    }
    return false;
  }
}
