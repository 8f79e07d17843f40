package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.install.ConfExamples;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.TableType;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.io.orc.OrcInputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcSerde;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hive.hcatalog.data.DefaultHCatRecord;
import org.apache.hive.hcatalog.data.HCatRecord;
import org.apache.hive.hcatalog.mapreduce.HCatInputFormat;
import org.apache.hive.hcatalog.mapreduce.HCatOutputFormat;
import org.apache.hive.hcatalog.mapreduce.OutputJobInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of HCatalog where the example of mapred-site.xml is set for the whole cluster. */
@Tag("thorough")
class HCatalogTest {
  @TempDir static java.nio.file.Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveConf conf;
  private static HiveMetaStoreClient metastore;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket("hcatalog");
    conf = new HiveConf();
    server.hadoopSettings().forEach(conf::set);
    conf.set("hadoop.tmp.dir", home.resolve("hadoop").toString());
    conf.set("mapreduce.framework.name", "local");
    metastore = new HiveMetaStoreClient(conf);
  }

  @AfterAll
  static void stop() throws IOException {
    if (metastore != null) {
      metastore.close();
    }
    server.close();
  }

  @Test
  void itsJobsWriteTheirRowsAndRegisterDynamicPartitions() throws Exception {
    create("plain", false);
    create("dynamic", true);

    assertThat(write("plain")).isTrue();
    assertThat(write("dynamic")).isTrue();

    assertThat(rows("plain")).containsExactly("1", "2", "3");
    assertThat(rows("dynamic")).containsExactly("1 p1", "2 p0", "3 p1");
    assertThat(metastore.listPartitionNames("default", "dynamic", (short) -1))
        .containsExactly("p=p0", "p=p1");
    assertThat(bucket.pendingUploads("")).isEmpty();
    assertThat(bucket.files("")).noneMatch(key -> key.contains("_temporary"));
  }

  private static void create(String name, boolean partitioned) throws Exception {
    Table table = new Table("default", name);
    table.setTableType(TableType.EXTERNAL_TABLE);
    table.setProperty("EXTERNAL", "TRUE");
    table.setDataLocation(new Path("s3a://" + bucket.bucket() + "/" + name));
    table.setFields(List.of(new FieldSchema("id", "int", "")));
    table.setInputFormatClass(OrcInputFormat.class);
    table.setOutputFormatClass(OrcOutputFormat.class);
    table.setSerializationLib(OrcSerde.class.getName());
    if (partitioned) {
      table.setPartCols(List.of(new FieldSchema("p", "string", "")));
    }
    metastore.createTable(table.getTTable());
  }

  /** Writes the numbers 1, 2, 3, by a job without reduce tasks. */
  private static boolean write(String table) throws Exception {
    java.nio.file.Path input = home.resolve(table + ".txt");
    Files.write(input, List.of("1", "2", "3"));
    Configuration settings = new Configuration(conf);
    ConfExamples.settings("mapred-site.xml").forEach(settings::set);
    Job job = Job.getInstance(settings, table);
    TextInputFormat.addInputPath(job, new Path(input.toUri()));
    job.setInputFormatClass(TextInputFormat.class);
    job.setMapperClass(Numbers.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(WritableComparable.class);
    job.setOutputValueClass(DefaultHCatRecord.class);
    job.setOutputFormatClass(HCatOutputFormat.class);
    HCatOutputFormat.setOutput(job, OutputJobInfo.create("default", table, null));
    HCatOutputFormat.setSchema(
        job, HCatOutputFormat.getTableSchemaWithPartitionColumns(job.getConfiguration()));
    return job.waitForCompletion(false);
  }

  /** As HCatalog reads the table itself, sorted; columns are separated by blanks. */
  @SuppressWarnings("rawtypes")
  private static List<String> rows(String table) throws Exception {
    Job job = Job.getInstance(new Configuration(conf));
    HCatInputFormat.setInput(job, "default", table);
    HCatInputFormat format = new HCatInputFormat();
    TaskAttemptContext task =
        new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID());
    List<String> rows = new ArrayList<>();
    for (InputSplit split : format.getSplits(job)) {
      try (RecordReader<WritableComparable, HCatRecord> reader =
          format.createRecordReader(split, task)) {
        reader.initialize(split, task);
        while (reader.nextKeyValue()) {
          rows.add(
              String.join(
                  " ", reader.getCurrentValue().getAll().stream().map(String::valueOf).toList()));
        }
      }
    }
    return rows.stream().sorted().toList();
  }

  /** Makes a record of each line: the number, and whether it is odd. */
  static final class Numbers extends Mapper<LongWritable, Text, WritableComparable<?>, HCatRecord> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      int number = Integer.parseInt(line.toString());
      int columns =
          HCatOutputFormat.getJobInfo(context.getConfiguration()).isDynamicPartitioningUsed()
              ? 2
              : 1;
      DefaultHCatRecord row = new DefaultHCatRecord(columns);
      row.set(0, number);
      if (columns == 2) {
        row.set(1, "p" + number % 2);
      }
      context.write(NullWritable.get(), row);
    }
  }
}
