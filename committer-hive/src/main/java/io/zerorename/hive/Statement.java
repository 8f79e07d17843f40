package io.zerorename.hive;

import org.apache.hadoop.hive.ql.parse.ASTNode;

/** What kind of statement the parser saw, as far as the committer must know. */
enum Statement {
  /**
   * A query that may insert. With IF NOT EXISTS, too: Hive plans nothing where the partition
   * exists.
   */
  QUERY,
  /** A query that was prepared before. */
  EXECUTE,
  /** A statement that is planned to be executed later; its plan is never run. */
  PREPARE,
  /** Anything else that may write: CTAS, LOAD, MERGE. */
  OTHER;

  /**
   * The kind of a statement, or of the one that it explains. Tokens are compared by name, because
   * their numbers change from one Hive version to the next.
   */
  static Statement of(ASTNode tree) {
    return switch (tree.getToken().getText()) {
      case "TOK_QUERY" -> QUERY;
      case "TOK_EXECUTE" -> EXECUTE;
      case "TOK_PREPARE" -> PREPARE;
      case "TOK_EXPLAIN" -> of((ASTNode) tree.getChild(0));
      default -> OTHER;
    };
  }

  /** Whether it asks for a plan only. */
  static boolean isExplain(ASTNode tree) {
    return "TOK_EXPLAIN".equals(tree.getToken().getText());
  }
}
