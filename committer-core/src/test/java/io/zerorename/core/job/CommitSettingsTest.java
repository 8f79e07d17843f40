package io.zerorename.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.LogTail;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommitSettingsTest {
  @ParameterizedTest
  @ValueSource(ints = {60, 3_600})
  void howLongProcessesAreLeftAloneSaysNothingOfTheStore(int seconds) {
    Configuration conf = new Configuration(false);
    conf.setInt(CoreKeys.RECOVERY_PATIENCE.name(), seconds);
    assertThat(CommitSettings.from(conf).settling()).isEqualTo(LogTail.LONGEST_COMPLETE);
    assertThat(CommitSettings.from(conf, "bucket").settling()).isEqualTo(LogTail.LONGEST_COMPLETE);
  }
}
