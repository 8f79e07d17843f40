package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.hive.metastore.CustomLocations;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where Hive wants a file for a while, and where it belongs. */
class FinalNamesTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final OutputSpec SPEC =
      new OutputSpec(
          "format",
          TABLE,
          new Path("file:/scratch/-ext-10000"),
          "",
          "job",
          new Path("file:/work"),
          Map.of(new Path("s3a://bucket/t/p=b%3Ac"), new Path("s3a://bucket/x/y"))::get);

  @ParameterizedTest
  @CsvSource({
    "file:/scratch/_task_tmp.-ext-10000/-tmp.000001_0, s3a://bucket/t/000001_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=a/_tmp.000001_2, s3a://bucket/t/p=a/000001_2.job.gz",
    "file:/scratch/-tmp.-ext-10000.moved/p=a/000003_0, s3a://bucket/t/p=a/000003_0.job.gz",
    "file:/scratch/_tmp.-ext-10000.moved/000003_0, s3a://bucket/t/000003_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=b%3Ac/-tmp.000001_0, s3a://bucket/x/y/000001_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=b%3Ac/q=1/-tmp.000001_0,"
        + " s3a://bucket/x/y/q=1/000001_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=b/-tmp.000001_0, s3a://bucket/t/p=b/000001_0.job.gz"
  })
  void fileBelongsToItsPartition(String temporary, String destination) {
    assertThat(FinalNames.of(new Path(temporary), SPEC, ".gz")).isEqualTo(new Path(destination));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 000000_0, s3a://bucket/t/000000_0.job",
    "'', 000000_0_copy_1.gz, s3a://bucket/t/000000_0_copy_1.job.gz",
    "p=a, 000000_0, s3a://bucket/t/p=a/000000_0.job",
    "p=b%3Ac, 000000_0, s3a://bucket/x/y/000000_0.job",
    "HIVE_UNION_SUBDIR_2, 000000_0, s3a://bucket/t/2_000000_0.job",
    "p=a/HIVE_UNION_SUBDIR_2, 000000_0, s3a://bucket/t/p=a/2_000000_0.job"
  })
  void mergedFileBelongsToItsPartition(String below, String name, String destination) {
    assertThat(FinalNames.ofMerged(below, name, SPEC)).isEqualTo(new Path(destination));
  }

  @ParameterizedTest
  @CsvSource({
    "_task_tmp.HIVE_UNION_SUBDIR_2/-tmp.000000_0, s3a://bucket/t/2_000000_0.job",
    "_task_tmp.HIVE_UNION_SUBDIR_2/p=a/HIVE_UNION_SUBDIR_2/-tmp.000000_0,"
        + " s3a://bucket/t/p=a/2_000000_0.job",
    "_task_tmp.HIVE_UNION_SUBDIR_2/p=b%3Ac/HIVE_UNION_SUBDIR_2/-tmp.000000_0,"
        + " s3a://bucket/x/y/2_000000_0.job"
  })
  void branchesOfAUnionShareTheDirectoryAndNoName(String temporary, String destination) {
    assertThat(
            FinalNames.of(
                new Path("file:/scratch/-ext-10000", temporary),
                SPEC.ofBranch("HIVE_UNION_SUBDIR_2"),
                ""))
        .isEqualTo(new Path(destination));
  }

  /** A task attempt may open a thousand writers, and there may be a thousand locations. */
  @Test
  void writersReadNoMoreThanTheLocationThatTheyAskFor() {
    Path place = new Path(TABLE, "p=b%3Ac");
    CustomLocations custom =
        new CustomLocations(
            Map.of(place, new Path("s3a://bucket/x/y"), new Path(TABLE, "p=1"), place));
    Properties properties = new LookedUp();
    properties.putAll(SPEC.addTo(new Properties(), custom));

    OutputSpec spec = OutputSpec.from(properties);

    assertThat(FinalNames.of(new Path("file:/scratch/_task_tmp.-ext-10000/p=b%3Ac/0_0"), spec, ""))
        .isEqualTo(new Path("s3a://bucket/x/y/0_0.job"));
    assertThat(FinalNames.of(new Path("file:/scratch/_task_tmp.-ext-10000/p=a/0_0"), spec, ""))
        .isEqualTo(new Path("s3a://bucket/t/p=a/0_0.job"));
  }

  /** Properties that nobody may go through. */
  private static final class LookedUp extends Properties {
    private static final long serialVersionUID = 1L;

    @Override
    public Set<String> stringPropertyNames() {
      throw new AssertionError("all properties are read");
    }

    @Override
    public Set<Map.Entry<Object, Object>> entrySet() {
      throw new AssertionError("all properties are read");
    }
  }

  @Test
  void fileOfAnUnknownDirectoryIsRefused() {
    assertThatThrownBy(() -> FinalNames.of(new Path("file:/scratch/-tmp.-ext-10000/0_0"), SPEC, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("which is in none of its temporary directories");
  }

  @ParameterizedTest
  @CsvSource({
    "s3a://bucket/a, s3a://bucket/b, ''",
    "s3a://bucket/t2, s3a://bucket/b, ''",
    "s3a://bucket/a, s3a://other/a/b, ''",
    "s3a://other/t/p=3, s3a://bucket/a, ''",
    "s3a://other/a/b, s3a://other/a, s3a://other/a/b is in s3a://other/a",
    "s3a://bucket/a/b, s3a://bucket/a, s3a://bucket/a/b is in s3a://bucket/a",
    "s3a://bucket/a, s3a://bucket/a, s3a://bucket/a is in s3a://bucket/a",
    "s3://bucket/t/p=3, s3a://bucket/a, s3://bucket/t/p=3 is in s3a://bucket/t",
    "s3a://bucket/, s3a://bucket/a, s3a://bucket/a is in s3a://bucket/"
  })
  void locationsThatMeetAreLeftToHive(String first, String second, String overlap) {
    assertThat(located(first, second).overlap(TABLE).orElse("")).isEqualTo(overlap);
  }

  @Test
  void rowsMayChooseThePartitionsBelowTheStaticPart() {
    CustomLocations locations = located("s3a://bucket/a", "s3a://other/b");
    assertThat(locations.ofPartitionsIn(TABLE)).isEqualTo(locations);
    assertThat(locations.ofPartitionsIn(new Path(TABLE, "p=2")).byPlace())
        .isEqualTo(Map.of(new Path(TABLE, "p=2"), new Path("s3a://other/b")));
  }

  @ParameterizedTest
  @CsvSource({
    "s3a://bucket/b, ''",
    "s3a://bucket/, s3a://bucket/ is a whole bucket",
    "s3a://other/a, s3a://other/a is in another bucket than bucket",
    "hdfs://other/a, hdfs://other/a is not on S3A"
  })
  void locationsThatAreNotDirectoriesOnS3aAreLeftToHive(String location, String obstacle) {
    assertThat(
            located("s3a://bucket/a", location)
                .obstacle("bucket", path -> path.toUri().getScheme().equals("s3a"))
                .orElse(""))
        .isEqualTo(obstacle);
  }

  private static CustomLocations located(String first, String second) {
    return new CustomLocations(
        Map.of(new Path(TABLE, "p=1"), new Path(first), new Path(TABLE, "p=2"), new Path(second)));
  }

  @Test
  void noMoreThanAThousandLocationsTravelToEachTask() {
    Map<Path, Path> many =
        IntStream.range(0, 1001)
            .boxed()
            .collect(
                Collectors.toMap(
                    i -> new Path(TABLE, "p=" + i), i -> new Path("s3a://bucket/elsewhere" + i)));
    assertThat(new CustomLocations(many).obstacle("bucket", location -> true))
        .contains("there are 1001");
  }
}
