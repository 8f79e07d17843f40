package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What tasks are told in a table descriptor, and what they make of it. */
class OutputSpecTest {
  private static final String VERSION = "zerorename.internal.output.version";

  private static final OutputSpec SPEC =
      new OutputSpec(
          "Orc",
          new Path("s3a://bucket/table"),
          new Path("hdfs://cluster/scratch/1"),
          "1",
          "b8a41b1c-6a3f-4b1e-9a57-c5d6cd3f8d0e",
          new Path("hdfs://cluster/work"));

  private final Properties properties = SPEC.addTo(new Properties());

  @Test
  void propertiesOfTheTableDoNotTellWhereToWrite() {
    Properties ofTable = new Properties();
    ofTable.setProperty("columns", "a");
    ofTable.setProperty("zerorename.internal.output.destination", "s3a://bucket/other");

    Properties told = SPEC.addTo(ofTable);

    assertThat(OutputSpec.from(told)).isEqualTo(SPEC);
    assertThat(told).containsEntry("columns", "a");
  }

  @Test
  void planOfALaterReleaseIsRefused() {
    properties.setProperty(VERSION, "2");

    assertThatThrownBy(() -> OutputSpec.from(properties))
        .hasMessageContaining(
            "the plan has version 2 and this committer reads version 1; the same release must be on all")
        .hasMessageContaining("LLAP's daemons");
  }

  @Test
  void tableOfWhichTheDefinitionNamesOurFormatIsRefused() {
    assertThatThrownBy(() -> OutputSpec.from(new Properties()))
        .hasMessageContaining("must not be named in a table's definition");
  }
}
