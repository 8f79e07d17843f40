package io.zerorename.core.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathsInJsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3a://bucket",
        "s3a://bucket/",
        "s3a://bucket/t/",
        "s3a://bucket//t",
        "s3a://bucket/t//x",
        "s3a://my.bucket-1/warehouse/t/day=2024-01-01/000000_0.5f1c",
        "s3a://key=secret/t/x",
        "hdfs://host:8020/user/x",
        "s3a://bucket/t/hour=10%3A00/x",
        "s3a://bucket/t/x?y#z",
        "s3a://bucket/t/a:b/x",
        "s3a://bucket/t/a..b/x.",
        "s3a://bucket/t://x/y",
      })
  void aPathIsReadAsItWasWritten(String text) throws Exception {
    Path hadoops = new Path(text);
    Path path =
        VersionedJson.MAPPER.readValue(
            VersionedJson.MAPPER.writeValueAsString(hadoops), Path.class);

    assertThat(path).isEqualTo(hadoops).hasSameHashCodeAs(hadoops).hasToString(hadoops.toString());
    assertThat(path.toUri().getPath()).isEqualTo(hadoops.toUri().getPath());
    assertThat(path.toUri().getAuthority()).isEqualTo(hadoops.toUri().getAuthority());
    assertThat(path.getParent()).isEqualTo(hadoops.getParent());
    assertThat(path.getName()).isEqualTo(hadoops.getName());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/t/x",
        "://bucket/t",
        "s3a:///t/x",
        "s3a://bucket/t/../x",
        "s3a://bucket/t/./x",
        "s3a://bucket/t/%2e%2e/x",
        "s3a://bucket/t/x?y"
      })
  void whatNamesNoFileOfAFileSystemIsRefused(String text) {
    assertThatThrownBy(() -> VersionedJson.MAPPER.readValue("\"" + text + "\"", Path.class))
        .isInstanceOf(JsonProcessingException.class);
  }
}
