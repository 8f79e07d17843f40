package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.install.ConfExamples;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.TableType;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcInputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat;
import org.apache.hadoop.hive.ql.io.orc.OrcSerde;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe;
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
import org.apache.hive.hcatalog.data.schema.HCatSchema;
import org.apache.hive.hcatalog.mapreduce.HCatInputFormat;
import org.apache.hive.hcatalog.mapreduce.HCatOutputFormat;
import org.apache.hive.hcatalog.mapreduce.OutputJobInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs of HCatalog where the example of mapred-site.xml is set for the whole cluster. */
@Tag("thorough")
class HCatalogTest {
  private static final String COLUMN = "id";
  private static final String PARTITION = "p";

  @TempDir static java.nio.file.Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveConf conf;
  private static HiveMetaStoreClient metastore;

  /** How a job writes into a table. */
  private enum Output {
    UNPARTITIONED,
    STATIC_PARTITION,
    DYNAMIC_PARTITIONS_OF_ORC;

    boolean isPartitioned() {
      return this != UNPARTITIONED;
    }

    Map<String, String> partition() {
      return this == STATIC_PARTITION ? Map.of(PARTITION, "x") : null;
    }

    List<String> rows() {
      return switch (this) {
        case UNPARTITIONED -> List.of("1", "2", "3");
        case STATIC_PARTITION -> List.of("1 x", "2 x", "3 x");
        case DYNAMIC_PARTITIONS_OF_ORC -> List.of("1 p1", "2 p0", "3 p1");
      };
    }

    List<String> partitions() {
      return switch (this) {
        case UNPARTITIONED -> List.of();
        case STATIC_PARTITION -> List.of("p=x");
        case DYNAMIC_PARTITIONS_OF_ORC -> List.of("p=p0", "p=p1");
      };
    }
  }

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

  @ParameterizedTest
  @EnumSource
  void itsJobsWriteTheirRowsAsWithoutTheCommitter(Output output) throws Exception {
    String name = output.name().toLowerCase(java.util.Locale.ROOT);
    for (String table : List.of(name + "_stock", name)) {
      create(table, output);
      Configuration settings = new Configuration(conf);
      if (table.equals(name)) {
        ConfExamples.settings("mapred-site.xml").forEach(settings::set);
      }

      assertThat(write(settings, table, output)).isTrue();

      assertThat(rows(table)).as(table).containsExactlyElementsOf(output.rows());
      assertThat(metastore.listPartitionNames("default", table, (short) -1))
          .as(table)
          .containsExactlyElementsOf(output.partitions());
      assertThat(bucket.pendingUploads("")).isEmpty();
      assertThat(bucket.files(table)).as(table).noneMatch(key -> key.contains("_temporary"));
    }
  }

  private static void create(String name, Output output) throws Exception {
    Table table = new Table("default", name);
    table.setTableType(TableType.EXTERNAL_TABLE);
    table.setProperty("EXTERNAL", "TRUE");
    table.setDataLocation(new Path("s3a://" + bucket.bucket() + "/" + name));
    table.setFields(List.of(new FieldSchema(COLUMN, "int", "")));
    if (output == Output.DYNAMIC_PARTITIONS_OF_ORC) {
      table.setInputFormatClass(OrcInputFormat.class);
      table.setOutputFormatClass(OrcOutputFormat.class);
      table.setSerializationLib(OrcSerde.class.getName());
    } else {
      table.setInputFormatClass(org.apache.hadoop.mapred.TextInputFormat.class);
      table.setOutputFormatClass(HiveIgnoreKeyTextOutputFormat.class);
      table.setSerializationLib(LazySimpleSerDe.class.getName());
    }
    if (output.isPartitioned()) {
      table.setPartCols(List.of(new FieldSchema(PARTITION, "string", "")));
    }
    metastore.createTable(table.getTTable());
  }

  /** Writes the numbers 1, 2, 3, by a job without reduce tasks. */
  private static boolean write(Configuration settings, String table, Output output)
      throws Exception {
    java.nio.file.Path input = home.resolve(table + ".txt");
    Files.write(input, List.of("1", "2", "3"));
    Job job = Job.getInstance(settings, table);
    TextInputFormat.addInputPath(job, new Path(input.toUri()));
    job.setInputFormatClass(TextInputFormat.class);
    job.setMapperClass(Numbers.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(WritableComparable.class);
    job.setOutputValueClass(DefaultHCatRecord.class);
    job.setOutputFormatClass(HCatOutputFormat.class);
    HCatOutputFormat.setOutput(job, OutputJobInfo.create("default", table, output.partition()));
    HCatSchema schema =
        output.isPartitioned() && output.partition() == null
            ? HCatOutputFormat.getTableSchemaWithPartitionColumns(job.getConfiguration())
            : HCatOutputFormat.getTableSchema(job.getConfiguration());
    HCatOutputFormat.setSchema(job, schema);
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
