package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** INSERT OVERWRITE DIRECTORY on Hive's own rename path and through the committer. */
class DirectoryTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void source() throws Exception {
    SourceRows.create(s3.hive());
  }

  @Test
  void directoryHoldsTheBytesOfHivesOwnPath() throws Exception {
    String format = "row format delimited fields terminated by '|' null defined as 'nil'";
    s3.hive().set("hive.merge.mapfiles", "false");
    SortedMap<String, byte[]> stock = new TreeMap<>();
    for (String subject : List.of("stock", "ours")) {
      if (subject.equals("ours")) {
        s3.withCommitter();
      }
      String directory = "dir_bytes/" + subject;
      for (String old : List.of("old", "below/old", "_hidden", ".hidden/old", "below/_kept")) {
        put(directory + "/" + old);
      }
      for (int run = 0; run < 2; run++) {
        RequestCounts before = s3.counts();
        s3.hive().execute(overwrite(directory, format, "where a > " + run));
        RequestCounts counts = s3.counts().minus(before);
        if (subject.equals("ours")) {
          assertThat(s3.hive().console())
              .contains(
                  "zero-rename: committed INSERT OVERWRITE of directory s3a://warehouse/"
                      + directory);
          assertThat(counts.copies()).isZero();
          if (run > 0) {
            // The first tries out what the store can do.
            assertThat(counts.total()).as(counts.toString()).isEqualTo(13);
          }
        }
      }
      SortedMap<String, byte[]> bytes = contents(directory);
      if (subject.equals("stock")) {
        stock.putAll(bytes);
      } else {
        assertThat(bytes.keySet()).isEqualTo(stock.keySet());
        bytes.forEach((key, content) -> assertThat(content).as(key).isEqualTo(stock.get(key)));
      }
    }
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void noRowsClearTheDirectoryAndKeepIt() throws Exception {
    s3.withCommitter();
    put("dir_empty/old");

    s3.hive().execute(overwrite("dir_empty", "", "where a > 100"));

    assertThat(s3.hive().console()).contains("committed INSERT OVERWRITE of directory");
    assertThat(s3.bucket().files("dir_empty/")).noneMatch(key -> key.endsWith("old"));
    assertThat(fileSystem().getFileStatus(path("dir_empty")).isDirectory()).isTrue();
  }

  @Test
  void branchesOfAUnionLieBesideEachOther() throws Exception {
    s3.withCommitter();
    s3.hive()
        .execute(
            "insert overwrite directory 's3a://warehouse/dir_union' select a from source_rows"
                + " union all select a + 10 from source_rows");

    assertThat(s3.hive().console()).contains("committed INSERT OVERWRITE of directory");
    assertThat(contents("dir_union").values().stream().map(it -> new String(it, UTF_8)))
        .containsExactlyInAnyOrder("1\n2\n3\n4\n", "11\n12\n13\n14\n");
  }

  @Test
  void objectOfTheDirectorysNameIsReplacedByHiveAlone() throws Exception {
    s3.withCommitter();
    // Else Hive refuses the statement, because it cannot stage below an object.
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    put("dir_object");
    String statement = overwrite("dir_object", "", "where a = 1");

    assertThatThrownBy(() -> s3.hive().execute(statement))
        .hasStackTraceContaining("ZR-5133: ")
        .hasStackTraceContaining("s3a://warehouse/dir_object is an object");
    assertThat(s3.bucket().objects("dir_object")).containsOnlyKeys("dir_object");

    s3.hive().set("zerorename.hive.enabled", "false");
    s3.hive().execute(statement);
    assertThat(s3.bucket().objects("dir_object")).doesNotContainKey("dir_object");
    assertThat(s3.bucket().files("dir_object/")).containsExactly("dir_object/000000_0");
  }

  @Test
  void localDirectoryIsNoneOfTheCommittersBusiness() throws Exception {
    s3.withCommitter();
    Path directory = s3.hive().directory().resolve("local-directory");
    s3.hive()
        .execute("insert overwrite local directory '" + directory + "' select a from source_rows");

    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isNotEmpty();
    }
  }

  private static final java.nio.charset.Charset UTF_8 = StandardCharsets.UTF_8;

  private static String overwrite(String directory, String format, String where) {
    return String.format(
        Locale.ROOT,
        "insert overwrite directory 's3a://warehouse/%s' %s select a, if(a = 3, null, b) as b from"
            + " source_rows %s",
        directory,
        format,
        where);
  }

  /** By key relative to the directory, without what makes the names of our files unique. */
  private SortedMap<String, byte[]> contents(String directory) throws IOException {
    SortedMap<String, byte[]> result = new TreeMap<>();
    for (String key : s3.bucket().files(directory + "/")) {
      try (var in = fileSystem().open(path(key))) {
        result.put(
            key.substring(directory.length()).replaceFirst("\\.[-0-9a-f]{36}$", ""),
            in.readAllBytes());
      }
    }
    return result;
  }

  private void put(String key) throws IOException {
    try (FSDataOutputStream out = fileSystem().create(path(key))) {
      out.writeBytes("old");
    }
  }

  private static org.apache.hadoop.fs.Path path(String key) {
    return new org.apache.hadoop.fs.Path("s3a://" + HiveOnS3.BUCKET + "/" + key);
  }

  private FileSystem fileSystem() throws IOException {
    return path("").getFileSystem(s3.hive().conf());
  }
}
