package io.zerorename.magic.fs;

import static io.zerorename.magic.fs.TestBucket.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.store.RequestType;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.storage.ql.exec.vector.LongColumnVector;
import org.apache.orc.storage.ql.exec.vector.VectorizedRowBatch;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real record writers write pending files; what is completed reads back with their readers. */
class RecordWritersTest {
  private static final int ROWS = 50_000;

  @TempDir private File directory;
  private TestBucket bucket;
  private PendingSession session;
  private Configuration conf;

  @BeforeEach
  void openSession() throws IOException {
    bucket = new TestBucket(directory);
    session = bucket.open("attempt");
    conf = new Configuration(bucket.conf());
    PendingSession.register(conf);
  }

  @AfterEach
  void closeSession() throws IOException {
    session.close();
  }

  @Test
  void sequenceFileThatSyncsAsItGoes() throws IOException {
    Path file = session.pathOf(path("t/part-0"));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            conf,
            SequenceFile.Writer.file(file),
            SequenceFile.Writer.keyClass(LongWritable.class),
            SequenceFile.Writer.valueClass(Text.class))) {
      for (int i = 0; i < ROWS; i++) {
        writer.append(new LongWritable(i), new Text("value " + i));
        if (i % 10_000 == 0) {
          writer.hflush();
          writer.hsync();
        }
      }
    }
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(conf, SequenceFile.Reader.file(complete("t/part-0")))) {
      LongWritable key = new LongWritable();
      int rows = 0;
      while (reader.next(key)) {
        assertThat(key.get()).isEqualTo(rows++);
      }
      assertThat(rows).isEqualTo(ROWS);
    }
  }

  @Test
  void orc() throws IOException {
    TypeDescription schema = TypeDescription.fromString("struct<id:bigint>");
    try (Writer writer =
        OrcFile.createWriter(
            session.pathOf(path("t/000000_0.orc")),
            OrcFile.writerOptions(conf).setSchema(schema))) {
      VectorizedRowBatch batch = schema.createRowBatch();
      LongColumnVector ids = (LongColumnVector) batch.cols[0];
      for (int i = 0; i < ROWS; i++) {
        ids.vector[batch.size++] = i;
        if (batch.size == batch.getMaxSize()) {
          writer.addRowBatch(batch);
          batch.reset();
          writer.writeIntermediateFooter();
        }
      }
      writer.addRowBatch(batch);
    }
    assertOnePartWasSent();
    try (Reader reader =
            OrcFile.createReader(complete("t/000000_0.orc"), OrcFile.readerOptions(conf));
        RecordReader rows = reader.rows()) {
      assertThat(reader.getNumberOfRows()).isEqualTo(ROWS);
      VectorizedRowBatch batch = schema.createRowBatch();
      assertThat(rows.nextBatch(batch)).isTrue();
      assertThat(((LongColumnVector) batch.cols[0]).vector[7]).isEqualTo(7);
    }
  }

  @Test
  void parquetThatReadsItsFooterBeforeTheCommit() throws IOException {
    MessageType schema = MessageTypeParser.parseMessageType("message row { required int64 id; }");
    Path file = session.pathOf(path("t/000000_0.parquet"));
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(file)
            .withConf(conf)
            .withType(schema)
            .withRowGroupSize(64L << 10)
            .build()) {
      SimpleGroupFactory groups = new SimpleGroupFactory(schema);
      for (int i = 0; i < ROWS; i++) {
        writer.write(groups.newGroup().append("id", (long) i));
      }
    }
    // As Hive 4 does when it closes its writer, for the table's statistics.
    try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, conf))) {
      assertThat(reader.getRecordCount()).isEqualTo(ROWS);
      assertThat(reader.getRowGroups()).hasSizeGreaterThan(1);
    }
    assertOnePartWasSent();
    try (ParquetReader<Group> rows =
        ParquetReader.builder(new GroupReadSupport(), complete("t/000000_0.parquet")).build()) {
      for (int i = 0; i < ROWS; i++) {
        assertThat(rows.read().getLong("id", 0)).isEqualTo(i);
      }
      assertThat(rows.read()).isNull();
    }
  }

  private void assertOnePartWasSent() throws IOException {
    assertThat(session.files()).hasSize(1);
    assertThat(bucket.requests())
        .isEqualTo(Map.of(RequestType.CREATE_UPLOAD, 1L, RequestType.UPLOAD_PART, 1L));
  }

  /** The completed object as a local file, for readers. */
  private Path complete(String key) throws IOException {
    bucket.complete(session);
    File file = new File(directory, "completed-" + new Path(key).getName());
    Files.write(file.toPath(), bucket.store().content(key));
    return new Path(file.toURI());
  }
}
