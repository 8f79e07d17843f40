package io.zerorename.hive.metastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.metastore.StoredStatistics.Place;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.StatsSetupConst;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statistics of a table after a commit of two files and three rows. */
class StoredStatisticsTest {
  private static final Path LOCATION = new Path("s3a://bucket/t");

  private final Map<String, String> now = new HashMap<>();
  private final Place place = new Place(LOCATION, "", "default.t/", now);
  private final FileTotals files = new FileTotals(2, 200);

  @BeforeEach
  void fiveRowsAreThere() {
    now.put(StatsSetupConst.ROW_COUNT, "5");
    now.put(StatsSetupConst.RAW_DATA_SIZE, "50");
    now.put(StatsSetupConst.NUM_FILES, "1");
    now.put(StatsSetupConst.TOTAL_SIZE, "100");
    StatsSetupConst.setBasicStatsState(now, StatsSetupConst.TRUE);
  }

  @Test
  void insertAddsItsRows() {
    update(false, false);
    assertThat(now)
        .containsEntry(StatsSetupConst.ROW_COUNT, "8")
        .containsEntry(StatsSetupConst.RAW_DATA_SIZE, "53")
        .containsEntry(StatsSetupConst.NUM_FILES, "2")
        .containsEntry(StatsSetupConst.TOTAL_SIZE, "200");
  }

  @Test
  void columnsThatGetRowsAreUnknown() {
    StatsSetupConst.setColumnStatsState(now, List.of("a"));
    update(false, false);
    assertThat(StatsSetupConst.areColumnStatsUptoDate(now, "a")).isFalse();
  }

  @Test
  void rowsBesideThoseOfOthersAreUnknown() {
    update(true, true);
    assertThat(StatsSetupConst.areBasicStatsUptoDate(now)).isFalse();
    assertThat(now).containsEntry(StatsSetupConst.NUM_FILES, "2");
  }

  private void update(boolean rewritten, boolean unknown) {
    place.update(rewritten, false, unknown, Optional.of(files), type -> "3");
  }
}
