package io.zerorename.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.versions.Api;
import io.zerorename.versions.LocalJobs;
import io.zerorename.versions.TestCluster;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.MapFile;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every output format, in both APIs, is read back by its own reader. */
class FormatsTest {
  private static final String OUT = "out";
  private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final Pattern UNIQUE = Pattern.compile("([^.]*)-(" + UUID + ")((?:\\..*)?)");

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;
  private FormatJob job;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    conf = cluster.conf();
    job = new FormatJob(new File(directory, "input"));
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  /** In the quick tier each format by one API, and the next by the other. */
  static Stream<Arguments> formats() {
    List<Api> apis = List.of(Api.values());
    Iterator<Api> turns = Stream.generate(() -> apis).flatMap(List::stream).iterator();
    return Stream.of(Format.values())
        .flatMap(
            format ->
                (Api.THOROUGH ? apis : List.of(turns.next()))
                    .stream().map(api -> Arguments.of(format, api)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("formats")
  void partsHaveUniqueNamesBesideOtherFiles(Format format, Api api) throws Exception {
    String old =
        OUT
            + "/"
            + plainNames(format, api).get(0)
            + (format == Format.MAP_FILE ? "/" + MapFile.DATA_FILE_NAME : "");
    try (OutputStream out = cluster.s3(old).getFileSystem(conf).create(cluster.s3(old))) {
      out.write("old".getBytes(UTF_8));
    }
    conf.set("zerorename.conflict.mode", "append");

    job.append(api, format, conf, cluster.s3(OUT));
    List<String> first = uniqueParts(format);
    job.append(api, format, conf, cluster.s3(OUT));
    List<String> second = new ArrayList<>(uniqueParts(format));
    second.removeAll(first);

    for (List<String> parts : List.of(first, second)) {
      assertThat(parts).extracting(FormatsTest::withoutId).isEqualTo(plainNames(format, api));
      assertThat(read(format, parts)).containsExactlyInAnyOrderElementsOf(FormatJob.records());
    }
    assertThat(ids(first)).hasSize(1);
    assertThat(ids(second)).hasSize(1).doesNotContainAnyElementsOf(ids(first));
    assertThat(cluster.text(old)).isEqualTo("old");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  /** With any committer, ours or Hadoop's; see {@link OrcV1} for what a job can do. */
  @Test
  void orcsOwnFormatV1FailsOutsideTheDefaultFileSystemAndLeavesNothing() {
    conf.setEnum(FormatJob.FORMAT_KEY, Format.ORC);
    Format.ORC.configure(conf);
    JobConf v1 = job.v1(conf, cluster.s3(OUT));
    v1.setOutputFormat(org.apache.orc.mapred.OrcOutputFormat.class);

    assertThatThrownBy(() -> LocalJobs.run(v1)).isInstanceOf(IOException.class);

    assertThat(cluster.files()).isEmpty();
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  private static List<String> plainNames(Format format, Api api) {
    return IntStream.range(0, FormatJob.MAPS)
        .mapToObj(map -> format.plainName(api == Api.V2, map))
        .toList();
  }

  /** The sorted names of all parts: of files, or of MapFile's directories. */
  private List<String> parts(Format format) {
    Set<String> names = new TreeSet<>();
    for (String key : cluster.dataFiles(OUT)) {
      Path part = cluster.s3(key);
      names.add((format == Format.MAP_FILE ? part.getParent() : part).getName());
    }
    return List.copyOf(names);
  }

  private List<String> uniqueParts(Format format) {
    return parts(format).stream().filter(name -> UNIQUE.matcher(name).matches()).toList();
  }

  private List<String> read(Format format, List<String> parts) throws IOException {
    List<String> records = new ArrayList<>();
    for (String part : parts) {
      records.addAll(format.read(cluster.s3(OUT + "/" + part), conf));
    }
    return records;
  }

  private static Set<String> ids(List<String> parts) {
    return parts.stream().map(name -> UNIQUE.matcher(name).replaceAll("$2")).collect(toSet());
  }

  private static String withoutId(String name) {
    return UNIQUE.matcher(name).replaceAll("$1$3");
  }
}
