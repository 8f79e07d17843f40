package io.zerorename.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigKeyTest {
  /** There are more; their list is not empty by mistake. */
  private static final int MIN_KEYS = 10;

  private final Configuration configuration = new Configuration(false);

  @Test
  void aValueOutsideTheRangeNamesKeyValueRangeAndRemedy() {
    configuration.set("zerorename.commit.threads", "-3");
    assertThatThrownBy(() -> CoreKeys.COMMIT_THREADS.from(configuration))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "ZR-3201: zerorename.commit.threads is \"-3\"; it must be a whole number from 1 to"
                + " 1024. Set it in the session's or job's configuration or remove it to use 64.");
  }

  @Test
  void aBadValueFromAFileNamesTheFile() {
    configuration.addResource(
        new ByteArrayInputStream(
            ("<configuration><property><name>zerorename.commit.threads</name><value>many</value>"
                    + "</property></configuration>")
                .getBytes(StandardCharsets.UTF_8)),
        "hive-site.xml");
    assertThatThrownBy(() -> CoreKeys.COMMIT_THREADS.from(configuration))
        .hasMessageContaining("is \"many\"")
        .hasMessageContaining("Set it in hive-site.xml or remove it");
  }

  @Test
  void sizesMayHaveASuffixAndMustNotBeNegative() {
    configuration.set("zerorename.upload.memory.limit", "64M");
    assertThat(CoreKeys.UPLOAD_MEMORY_LIMIT.from(configuration)).isEqualTo(64L << 20);
    configuration.set("zerorename.upload.memory.limit", "-1");
    assertThatThrownBy(() -> CoreKeys.UPLOAD_MEMORY_LIMIT.from(configuration))
        .hasMessageContaining("is \"-1\"; it must be a size from 0 to 1T");
    configuration.set("zerorename.upload.tail.size", "65M");
    assertThatThrownBy(() -> CoreKeys.UPLOAD_TAIL_SIZE.find(configuration))
        .hasMessageContaining("a size from 0 to 64M");
  }

  @Test
  void aValueFromElsewhereNamesItsPlace() {
    ConfigKey<Boolean> key = ConfigKey.flag("some.flag", true, "A flag.");
    assertThat(key.of(null, "the properties of table t")).isTrue();
    assertThat(key.of(" FALSE", "the properties of table t")).isFalse();
    assertThatThrownBy(() -> key.of("no", "the properties of table t"))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "ZR-3201: some.flag is \"no\"; it must be true or false. Set it in the properties of"
                + " table t or remove it to use true.");
  }

  @ParameterizedTest(name = "{0} and {1}, {2} and {3}: {5} for {4}")
  @CsvSource({
    "                   ,  ,                              ,   , b,         64",
    "zerorename.commit.threads, 4,                        ,   , b,         4",
    "zerorename.commit.threads, 4, zerorename.bucket.b.commit.threads, 5, b, 5",
    "zerorename.commit.threads, many, zerorename.bucket.b.commit.threads, 5, b, 5",
    "                   ,  , zerorename.bucket.b.commit.threads, 5, c,   64",
    "                   ,  , zerorename.bucket.my.own.commit.threads, 6, my.own, 6",
  })
  void theValueOfTheBucketComesBeforeThatForAll(
      String one, String oneValue, String other, String otherValue, String bucket, int expected) {
    if (one != null) {
      configuration.set(one, oneValue);
    }
    if (other != null) {
      configuration.set(other, otherValue);
    }
    assertThat(CoreKeys.COMMIT_THREADS.from(configuration, bucket)).isEqualTo(expected);
  }

  @Test
  void aBadValueOfABucketNamesTheKeyThatIsSetAndWhatWouldHoldWithoutIt() {
    configuration.set("zerorename.bucket.b.commit.threads", "-3");
    configuration.set("zerorename.commit.threads", "7");
    assertThat(CoreKeys.COMMIT_THREADS.from(configuration, "c")).isEqualTo(7);
    assertThatThrownBy(() -> CoreKeys.COMMIT_THREADS.from(configuration, "b"))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "ZR-3201: zerorename.bucket.b.commit.threads is \"-3\"; it must be a whole number from"
                + " 1 to 1024. Set it in the session's or job's configuration or remove it to use"
                + " 7.");
  }

  @Test
  void everyKeyIsDocumentedAndUnique() {
    assertThat(CoreKeys.all()).hasSizeGreaterThan(MIN_KEYS);
    assertThat(CoreKeys.all()).allSatisfy(key -> assertThat(key.name()).startsWith("zerorename."));
    assertThat(CoreKeys.all()).extracting(ConfigKey::name).doesNotHaveDuplicates();
    assertThat(CoreKeys.all())
        .allSatisfy(
            key -> {
              assertThat(key.description()).isNotBlank();
              assertThat(key.unit()).isNotBlank();
              assertThat(key.defaultText()).isNotBlank();
              if (key.defaultValue() != null) {
                assertThat((Object) key.of(key.defaultText(), "")).isEqualTo(key.defaultValue());
              }
            });
  }
}
