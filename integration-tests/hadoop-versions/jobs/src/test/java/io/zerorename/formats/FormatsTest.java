package io.zerorename.formats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.mapreduce.MagicParquetOutputFormat;
import io.zerorename.versions.LocalJobs;
import io.zerorename.versions.TestCluster;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MapFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MapFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.example.GroupWriteSupport;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Output formats whose files have an extension or are in directories, beside other files, and
 * Parquet's. Each is read back by its own reader. Hive's tests write more of them the same way.
 */
class FormatsTest {
  private static final String OUT = "out";
  private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final int MAPS = 2;

  /** Of both tasks, a line each. */
  private static final List<String> IDS =
      IntStream.range(10, 50).mapToObj(Integer::toString).toList();

  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType("message row { required int64 id; }");

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    conf = cluster.conf();
    conf.set("zerorename.conflict.mode", "append");
    File input = new File(directory, "input");
    Files.createDirectory(input.toPath());
    Files.write(input.toPath().resolve("in-0"), IDS.subList(0, 20));
    Files.write(input.toPath().resolve("in-1"), IDS.subList(20, 40));
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void compressedText() throws Exception {
    Job job = job(AppendingText.class);
    FileOutputFormat.setCompressOutput(job, true);
    FileOutputFormat.setOutputCompressorClass(job, GzipCodec.class);

    List<String> lines = new ArrayList<>();
    for (Path part : written(job, "part-m-00000.gz", ".gz")) {
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(
                  new GZIPInputStream(part.getFileSystem(conf).open(part)), UTF_8))) {
        reader.lines().map(line -> line.split("\t", -1)[1]).forEach(lines::add);
      }
    }
    assertThat(lines).isEqualTo(IDS);
  }

  /** Its parts are directories, in which the reader looks for files of two names. */
  @Test
  void mapFile() throws Exception {
    List<String> values = new ArrayList<>();
    for (Path part : written(job(AppendingMapFile.class), "part-m-00000/data", "/data|.*/index")) {
      if (part.getName().equals(MapFile.DATA_FILE_NAME)) {
        LongWritable key = new LongWritable();
        Text value = new Text();
        try (MapFile.Reader reader = new MapFile.Reader(part.getParent(), conf)) {
          while (reader.next(key, value)) {
            values.add(value.toString());
          }
          assertThat(reader.get(key, value)).isNotNull();
        }
      }
    }
    assertThat(values).isEqualTo(IDS);
  }

  /** Parquet's own format would make its own committer, which renames. */
  @Test
  void parquet() throws Exception {
    Job job = job(MagicParquetOutputFormat.class);
    job.setMapperClass(ToGroup.class);
    ParquetOutputFormat.setWriteSupportClass(job, GroupWriteSupport.class);
    GroupWriteSupport.setSchema(SCHEMA, job.getConfiguration());

    LocalJobs.run(job);

    assertThat(cluster.text(OUT + "/_SUCCESS")).contains("\"committer\" : \"zerorename\"");
    assertThat(cluster.dataFiles(OUT))
        .containsExactly("out/part-m-00000.parquet", "out/part-m-00001.parquet");
    List<String> ids = new ArrayList<>();
    for (String part : cluster.dataFiles(OUT)) {
      try (ParquetReader<Group> rows =
          ParquetReader.builder(new GroupReadSupport(), cluster.s3(part)).withConf(conf).build()) {
        for (Group row = rows.read(); row != null; row = rows.read()) {
          ids.add("" + row.getLong("id", 0));
        }
      }
    }
    assertThat(ids).isEqualTo(IDS);
  }

  private Job job(Class<?> format) throws IOException {
    Job job = Job.getInstance(conf);
    FileInputFormat.setInputPaths(job, new Path(cluster.local("input")));
    FileOutputFormat.setOutputPath(job, cluster.s3(OUT));
    job.getConfiguration()
        .setClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, format, OutputFormat.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Text.class);
    return job;
  }

  /**
   * Runs a job where there is a file under the plain name of one of its own, and returns its files.
   *
   * @param suffix what follows the job's id in their names, an expression
   */
  private List<Path> written(Job job, String plain, String suffix) throws Exception {
    Path old = cluster.s3(OUT + "/" + plain);
    try (OutputStream out = old.getFileSystem(conf).create(old)) {
      out.write("old".getBytes(UTF_8));
    }

    LocalJobs.run(job);

    assertThat(cluster.text(OUT + "/" + plain)).isEqualTo("old");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    List<String> added = new ArrayList<>(cluster.dataFiles(OUT));
    added.remove(OUT + "/" + plain);
    assertThat(added).allMatch(key -> key.matches("out/part-m-0000[01]-" + UUID + suffix));
    assertThat(added.stream().map(key -> key.replaceAll(".*(" + UUID + ").*", "$1")).distinct())
        .as("ids of the job")
        .hasSize(1);
    assertThat(added.stream().map(key -> key.split("-", -1)[2]).distinct())
        .as("tasks")
        .hasSize(MAPS);
    return added.stream().map(cluster::s3).toList();
  }

  static final class ToGroup extends Mapper<LongWritable, Text, Void, Group> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      context.write(null, new SimpleGroup(SCHEMA).append("id", Long.parseLong(line.toString())));
    }
  }

  /** Hadoop's own formats allow no directory that exists. */
  static final class AppendingText extends TextOutputFormat<LongWritable, Text> {
    @Override
    public void checkOutputSpecs(JobContext job) {}
  }

  static final class AppendingMapFile extends MapFileOutputFormat {
    @Override
    public void checkOutputSpecs(JobContext job) {}
  }
}
