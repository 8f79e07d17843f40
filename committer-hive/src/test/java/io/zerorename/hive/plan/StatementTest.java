package io.zerorename.hive.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hive.ql.parse.ASTNode;
import org.apache.hadoop.hive.ql.parse.ParseDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kind of a statement, by the tree of Hive's own parser. */
class StatementTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "insert into t values (1)                         | QUERY                  | true",
        "insert overwrite directory 's3a://b/d' select 1  | QUERY                  | true",
        "from a insert into t select x insert into u select y | QUERY              | true",
        "select 1                                         | QUERY                  | true",
        "explain insert into t values (1)                 | QUERY                  | true",
        "create table t as select 1                       | CREATE_TABLE_AS_SELECT | true",
        "create table t (a int)                           | OTHER                  | false",
        "prepare p from insert into t select ?            | PREPARE                | false",
        "execute p using 1                                | EXECUTE                | true",
        "load data inpath 's3a://b/d' into table t        | OTHER                  | false",
        "merge into t using u on t.a = u.a when matched then delete | OTHER        | false",
        "truncate table t                                 | OTHER                  | false",
      })
  void isOfAKind(String text, Statement kind, boolean covered) throws Exception {
    ASTNode tree = new ParseDriver().parse(text).getTree();
    while (tree.getToken() == null) {
      tree = (ASTNode) tree.getChild(0);
    }
    assertThat(Statement.of(tree)).isEqualTo(kind);
    assertThat(kind.isCovered()).isEqualTo(covered);
  }
}
