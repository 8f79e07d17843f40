package io.zerorename.hive.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.ql.Context;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directory that Hive's compiler has made in the table, and that no task uses. Hive
 * removes it with several requests. It is one empty object, which one request deletes.
 */
final class UnusedStaging {
  private static final Logger LOG = LoggerFactory.getLogger(UnusedStaging.class);

  private final CommitWork work;
  private final Configuration conf;

  UnusedStaging(CommitWork work, Configuration conf) {
    this.work = requireNonNull(work, "work");
    this.conf = requireNonNull(conf, "conf");
  }

  /**
   * Deletes it after a commit, unless something else is staged there or it may be all that keeps
   * the table's directory in existence; then Hive does.
   *
   * @param context of the query, which holds the directories that Hive will remove
   */
  void remove(CommitReport committed, Context context) {
    if (work.unusedStaging().isEmpty() || committed.files() == 0) {
      return;
    }
    Path unused = work.unusedStaging().get();
    context.getFsScratchDirs().values().removeIf(it -> it.equals(unused) && deleted(it));
  }

  private boolean deleted(Path directory) {
    try (S3AObjectStores stores = new S3AObjectStores(conf)) {
      if (!S3AFileSystems.holds(directory, conf)) {
        return false;
      }
      Map<String, String> refused =
          stores.forPath(directory).deleteObjects(List.of(ObjectKeys.prefixOf(directory)));
      if (refused.isEmpty()) {
        directory.getFileSystem(conf).cancelDeleteOnExit(directory);
        return true;
      }
      LOG.debug("{} is left to Hive: {}", directory, refused);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is left to Hive", directory, e);
    }
    return false;
  }
}
