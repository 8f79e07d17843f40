package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.plan.Statement;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The setting by which Hive stages a statement on the scratch file system. */
class ScratchStagingTest {
  private final HiveConf conf = new HiveConf();

  private boolean isOnScratch() {
    return conf.getBoolVar(ConfVars.HIVE_USE_SCRATCHDIR_FOR_STAGING);
  }

  @ParameterizedTest
  @CsvSource({
    "QUERY, commit, true",
    "QUERY, fallback, false",
    "QUERY, no mode, false",
    "OTHER, commit, false"
  })
  void onlyInsertsOfWhoAsksForItAreCompiledWithIt(
      Statement statement, String value, boolean onScratch) {
    conf.set("zerorename.hive.merge", value);
    ScratchStaging.begin(conf, statement);
    assertThat(isOnScratch()).isEqualTo(onScratch);
    ScratchStaging.end(conf);
    assertThat(isOnScratch()).isFalse();
  }

  /** Hive calls no hook between the analysis that fails and the next statement's. */
  @Test
  void nextStatementFindsTheSettingOfTheSession() {
    conf.set("zerorename.hive.merge", "commit");
    ScratchStaging.begin(conf, Statement.QUERY);
    ScratchStaging.begin(conf, Statement.OTHER);
    assertThat(isOnScratch()).isFalse();
  }

  @Test
  void settingOfTheUserStays() {
    conf.setBoolVar(ConfVars.HIVE_USE_SCRATCHDIR_FOR_STAGING, true);
    conf.set("zerorename.hive.merge", "commit");
    ScratchStaging.begin(conf, Statement.QUERY);
    ScratchStaging.end(conf);
    assertThat(isOnScratch()).isTrue();
  }
}
