package io.zerorename.hive.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where Hive wants a file for a while, and where it belongs. */
class FinalNamesTest {
  private static final Path TABLE = new Path("s3a://bucket/t");
  private static final OutputSpec SPEC =
      new OutputSpec(
          "format", TABLE, new Path("file:/scratch/-ext-10000"), "", "job", new Path("file:/work"));

  @ParameterizedTest
  @CsvSource({
    "file:/scratch/_task_tmp.-ext-10000/-tmp.000001_0, s3a://bucket/t/000001_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=a/_tmp.000001_2, s3a://bucket/t/p=a/000001_2.job.gz",
    "file:/scratch/-tmp.-ext-10000.moved/p=a/000003_0, s3a://bucket/t/p=a/000003_0.job.gz",
    "file:/scratch/_task_tmp.-ext-10000/p=b%3Ac/q=1/-tmp.000001_0,"
        + " s3a://bucket/t/p=b%3Ac/q=1/000001_0.job.gz"
  })
  void fileBelongsToItsPartition(String temporary, String destination) {
    assertThat(FinalNames.of(new Path(temporary), SPEC, ".gz")).isEqualTo(new Path(destination));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 000000_0_copy_1.gz, s3a://bucket/t/000000_0_copy_1.job.gz",
    "p=b%3Ac, 000000_0, s3a://bucket/t/p=b%3Ac/000000_0.job",
    "p=a/HIVE_UNION_SUBDIR_2, 000000_0, s3a://bucket/t/p=a/2_000000_0.job"
  })
  void mergedFileBelongsToItsPartition(String below, String name, String destination) {
    assertThat(FinalNames.ofMerged(below, name, SPEC)).isEqualTo(new Path(destination));
  }

  @ParameterizedTest
  @CsvSource({
    "_task_tmp.HIVE_UNION_SUBDIR_2/-tmp.000000_0, s3a://bucket/t/2_000000_0.job",
    "_task_tmp.HIVE_UNION_SUBDIR_2/p=a/HIVE_UNION_SUBDIR_2/-tmp.000000_0,"
        + " s3a://bucket/t/p=a/2_000000_0.job"
  })
  void branchesOfAUnionShareTheDirectoryAndNoName(String temporary, String destination) {
    assertThat(
            FinalNames.of(
                new Path("file:/scratch/-ext-10000", temporary),
                SPEC.ofBranch("HIVE_UNION_SUBDIR_2"),
                ""))
        .isEqualTo(new Path(destination));
  }

  @Test
  void fileOfAnUnknownDirectoryIsRefused() {
    assertThatThrownBy(() -> FinalNames.of(new Path("file:/scratch/-tmp.-ext-10000/0_0"), SPEC, ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("which is in none of its temporary directories");
  }
}
