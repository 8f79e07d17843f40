package io.zerorename.hive.metastore;

import io.zerorename.core.store.ObjectSummary;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hive.common.StatsSetupConst;

/**
 * Number and size of the files of a place, for Hive's statistics. A statement may have written a
 * million files, of which HiveServer2 remembers no more than this.
 *
 * @param bytes of all of them
 */
public record FileTotals(int files, long bytes) {
  public static final FileTotals NONE = new FileTotals(0, 0);

  public static FileTotals ofObjects(List<ObjectSummary> objects) {
    return new FileTotals(objects.size(), objects.stream().mapToLong(ObjectSummary::size).sum());
  }

  public FileTotals and(FileTotals others) {
    return new FileTotals(Math.addExact(files, others.files), bytes + others.bytes);
  }

  /** Sets what Hive's MetaStoreServerUtils.populateQuickStats sets. */
  void note(Map<String, String> parameters) {
    parameters.put(StatsSetupConst.NUM_FILES, Integer.toString(files));
    parameters.put(StatsSetupConst.TOTAL_SIZE, Long.toString(bytes));
    parameters.put(StatsSetupConst.NUM_ERASURE_CODED_FILES, "0");
  }
}
