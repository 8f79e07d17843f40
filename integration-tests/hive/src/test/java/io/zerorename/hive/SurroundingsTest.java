package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.commit.CommitTask;
import io.zerorename.hive.plan.PlanTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.hive.ql.exec.Task;
import org.apache.hadoop.hive.ql.hooks.ExecuteWithHookContext;
import org.apache.hadoop.hive.ql.hooks.HookContext;
import org.apache.hadoop.hive.ql.hooks.LineageInfo.Dependency;
import org.apache.hadoop.hive.ql.hooks.LineageInfo.DependencyKey;
import org.apache.hadoop.hive.ql.parse.AbstractSemanticAnalyzerHook;
import org.apache.hadoop.hive.ql.parse.HiveSemanticAnalyzerHookContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What else a cluster has around an INSERT goes on as without the committer. */
class SurroundingsTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  /** Notes the lineage that Hive hands to hooks, for Atlas and the like. */
  public static final class LineageNotes implements ExecuteWithHookContext {
    private static final List<String> EDGES = new ArrayList<>();

    @Override
    public void run(HookContext context) {
      context
          .getLinfo()
          .entrySet()
          .forEach(edge -> EDGES.add(text(edge.getKey()) + " <- " + text(edge.getValue())));
    }

    private static String text(DependencyKey key) {
      return key.getDataContainer().getTable().getTableName()
          + "."
          + key.getFieldSchema().getName();
    }

    /** Hive has none for a column that it fills by itself. */
    private static String text(Dependency dependency) {
      return dependency == null
          ? "nothing"
          : dependency.getType()
              + " "
              + dependency.getExpr()
              + " "
              + dependency.getBaseCols().stream()
                  .map(column -> column.getColumn().getName())
                  .sorted()
                  .toList();
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into %s partition (p=3) select a * b from lineage_source",
        "insert overwrite table %s partition (p) select a + b, b from lineage_source"
      })
  void lineageIsThatOfHivesOwnPath(String statement) throws Exception {
    s3.createOnce("lineage_source", "(a int, b int) stored as orc");
    s3.hive().execute("insert overwrite table lineage_source values (1, 2), (3, 4)");
    s3.hive().set("hive.exec.post.hooks", LineageNotes.class.getName());
    List<TreeSet<String>> edges = new ArrayList<>();
    for (boolean ours : new boolean[] {false, true}) {
      if (!ours) {
        s3.withoutCommitter();
      } else {
        s3.withCommitter();
      }
      s3.hive().execute("drop table if exists lineage_target");
      s3.bucket().clear("lineage_target/");
      s3.createPartitioned("lineage_target");
      LineageNotes.EDGES.clear();
      s3.hive().execute(statement.replace("%s", "lineage_target"));
      edges.add(new TreeSet<>(LineageNotes.EDGES));
    }

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    assertThat(edges.get(0)).isNotEmpty();
    assertThat(edges.get(1)).isEqualTo(edges.get(0));
  }

  /** Another hook of the analyzer, which looks at the tasks. */
  public static final class OtherHook extends AbstractSemanticAnalyzerHook {
    private static final List<String> SEEN = new ArrayList<>();

    @Override
    public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks) {
      SEEN.add(
          Boolean.toString(
              PlanTasks.all(rootTasks).stream().anyMatch(CommitTask.class::isInstance)));
    }
  }

  @Test
  void otherHooksBeforeAndAfterAreCalled() throws Exception {
    s3.createPartitioned("other_hooks");
    OtherHook.SEEN.clear();
    s3.hive()
        .set(
            "hive.semantic.analyzer.hook",
            String.join(
                ", ",
                OtherHook.class.getName(),
                ZeroRenameHook.class.getName(),
                OtherHook.class.getName()));
    s3.hive().execute("insert into other_hooks partition (p) values (1, 1)");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    assertThat(OtherHook.SEEN).containsExactly("false", "true");
  }

  /** A hook that leaves lists which nobody can change. */
  public static final class FixingHook extends AbstractSemanticAnalyzerHook {
    @Override
    public void postAnalyze(HiveSemanticAnalyzerHookContext context, List<Task<?>> rootTasks) {
      for (Task<?> task : PlanTasks.all(rootTasks)) {
        if (task.getChildTasks() != null) {
          task.setChildTasks(List.copyOf(task.getChildTasks()));
        }
        if (task.getParentTasks() != null) {
          task.setParentTasks(List.copyOf(task.getParentTasks()));
        }
        if (task.getFeedSubscribers() != null) {
          task.setFeedSubscribers(List.copyOf(task.getFeedSubscribers()));
        }
      }
    }
  }

  @Test
  void planIsChangedByAssignmentsOnly() throws Exception {
    s3.createPartitioned("fixed_plan");
    s3.createPartitioned("fixed_plan_too");
    s3.hive()
        .set(
            "hive.semantic.analyzer.hook",
            FixingHook.class.getName() + "," + ZeroRenameHook.class.getName());
    s3.hive()
        .execute(
            "from (select 1 as a, 2 as p) x insert into fixed_plan partition (p) select a, p insert"
                + " into fixed_plan_too partition (p=3) select a");

    assertThat(s3.hive().console())
        .contains("zero-rename: committed INSERT INTO default.fixed_plan:")
        .contains("zero-rename: committed INSERT INTO default.fixed_plan_too:");
    assertThat(s3.hive().execute("select count(*) from fixed_plan")).containsExactly("1");
    assertThat(s3.hive().execute("select * from fixed_plan_too")).containsExactly("1\t3");
  }
}
