package io.zerorename.formats;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.magic.mapreduce.MagicParquetOutputFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.hadoop.io.AvroSerialization;
import org.apache.avro.mapred.AvroJob;
import org.apache.avro.mapred.AvroKey;
import org.apache.avro.mapred.AvroOutputFormat;
import org.apache.avro.mapreduce.AvroKeyOutputFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.MapFile;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MapFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.orc.OrcConf;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.mapred.OrcStruct;
import org.apache.orc.mapreduce.OrcOutputFormat;
import org.apache.orc.storage.ql.exec.vector.BytesColumnVector;
import org.apache.orc.storage.ql.exec.vector.LongColumnVector;
import org.apache.orc.storage.ql.exec.vector.VectorizedRowBatch;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.example.GroupWriteSupport;
import org.apache.parquet.hadoop.mapred.DeprecatedParquetOutputFormat;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** Output formats that exist in both APIs, and for each the reader that goes with it. */
enum Format {
  TEXT(org.apache.hadoop.mapred.TextOutputFormat.class, TextOutputFormat.class, "") {
    @Override
    Object key(long id) {
      return new Text(Long.toString(id));
    }

    @Override
    Object value(long id) {
      return new Text(text(id));
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(part.getFileSystem(conf).open(part), UTF_8))) {
        return lines.lines().toList();
      }
    }
  },

  /** What follows a name's first dot tells readers the codec. */
  COMPRESSED_TEXT(org.apache.hadoop.mapred.TextOutputFormat.class, TextOutputFormat.class, ".gz") {
    @Override
    void configure(Configuration conf) {
      conf.setBoolean(FileOutputFormat.COMPRESS, true);
      conf.setClass(FileOutputFormat.COMPRESS_CODEC, GzipCodec.class, CompressionCodec.class);
    }

    @Override
    Object key(long id) {
      return TEXT.key(id);
    }

    @Override
    Object value(long id) {
      return TEXT.value(id);
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      CompressionCodec codec = new CompressionCodecFactory(conf).getCodec(part);
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(
                  codec.createInputStream(part.getFileSystem(conf).open(part)), UTF_8))) {
        return lines.lines().toList();
      }
    }
  },

  SEQUENCE_FILE(
      org.apache.hadoop.mapred.SequenceFileOutputFormat.class, SequenceFileOutputFormat.class, "") {
    @Override
    void configure(Configuration conf) {
      conf.setClass(MRJobConfig.OUTPUT_KEY_CLASS, LongWritable.class, Object.class);
      conf.setClass(MRJobConfig.OUTPUT_VALUE_CLASS, Text.class, Object.class);
    }

    @Override
    Object key(long id) {
      return new LongWritable(id);
    }

    @Override
    Object value(long id) {
      return new Text(text(id));
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      List<String> records = new ArrayList<>();
      LongWritable key = new LongWritable();
      Text value = new Text();
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(part))) {
        while (reader.next(key, value)) {
          records.add(key + "\t" + value);
        }
      }
      return records;
    }
  },

  /** Its parts are directories, in which the reader looks for files of two names. */
  MAP_FILE(org.apache.hadoop.mapred.MapFileOutputFormat.class, MapFileOutputFormat.class, "") {
    @Override
    void configure(Configuration conf) {
      SEQUENCE_FILE.configure(conf);
    }

    @Override
    Object key(long id) {
      return SEQUENCE_FILE.key(id);
    }

    @Override
    Object value(long id) {
      return SEQUENCE_FILE.value(id);
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      List<String> records = new ArrayList<>();
      LongWritable key = new LongWritable();
      Text value = new Text();
      try (MapFile.Reader reader = new MapFile.Reader(part, conf)) {
        while (reader.next(key, value)) {
          records.add(key + "\t" + value);
        }
        if (reader.get(key, value) == null) {
          throw new IOException(part + " does not find " + key + " by its index");
        }
      }
      return records;
    }
  },

  AVRO(AvroOutputFormat.class, AvroKeyOutputFormat.class, ".avro") {
    private static final Schema SCHEMA =
        SchemaBuilder.record("Row").fields().requiredLong("id").requiredString("name").endRecord();

    @Override
    void configure(Configuration conf) {
      conf.set(AvroJob.OUTPUT_SCHEMA, SCHEMA.toString());
      AvroSerialization.setKeyWriterSchema(conf, SCHEMA);
    }

    @Override
    Object key(long id) {
      GenericRecord row = new GenericData.Record(SCHEMA);
      row.put("id", id);
      row.put("name", text(id));
      return new AvroKey<>(row);
    }

    @Override
    Object value(long id) {
      return NullWritable.get();
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      List<String> records = new ArrayList<>();
      try (DataFileStream<GenericRecord> rows =
          new DataFileStream<>(
              part.getFileSystem(conf).open(part), new GenericDatumReader<>(SCHEMA))) {
        rows.forEach(row -> records.add(row.get("id") + "\t" + row.get("name")));
      }
      return records;
    }
  },

  PARQUET(DeprecatedParquetOutputFormat.class, MagicParquetOutputFormat.class, ".parquet") {
    private static final MessageType SCHEMA =
        MessageTypeParser.parseMessageType(
            "message row { required int64 id; required binary name (STRING); }");

    @Override
    void configure(Configuration conf) {
      conf.set(ParquetOutputFormat.WRITE_SUPPORT_CLASS, GroupWriteSupport.class.getName());
      GroupWriteSupport.setSchema(SCHEMA, conf);
    }

    @Override
    Object key(long id) {
      return null;
    }

    @Override
    Object value(long id) {
      return new SimpleGroup(SCHEMA).append("id", id).append("name", text(id));
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      List<String> records = new ArrayList<>();
      try (ParquetReader<Group> rows =
          ParquetReader.builder(new GroupReadSupport(), part).withConf(conf).build()) {
        for (Group row = rows.read(); row != null; row = rows.read()) {
          records.add(row.getLong("id", 0) + "\t" + row.getString("name", 0));
        }
      }
      return records;
    }

    /** The format makes the file's name unique itself, though it is. */
    @Override
    String plainName(boolean v2, int map) {
      String name = String.format("-m-%05d", map);
      return (v2 ? "part" : String.format("part-%05d", map)) + name + ".parquet";
    }
  },

  ORC(OrcV1.class, OrcOutputFormat.class, ".orc") {
    private static final String SCHEMA = "struct<id:bigint,name:string>";

    @Override
    void configure(Configuration conf) {
      OrcConf.MAPRED_OUTPUT_SCHEMA.setString(conf, SCHEMA);
    }

    @Override
    Object key(long id) {
      return NullWritable.get();
    }

    @Override
    Object value(long id) {
      OrcStruct row = new OrcStruct(TypeDescription.fromString(SCHEMA));
      row.setAllFields(new LongWritable(id), new Text(text(id)));
      return row;
    }

    @Override
    String plainName(boolean v2, int map) {
      String name = super.plainName(v2, map);
      return v2 ? name : name.replace(".orc", "");
    }

    @Override
    List<String> read(Path part, Configuration conf) throws IOException {
      List<String> records = new ArrayList<>();
      try (Reader reader = OrcFile.createReader(part, OrcFile.readerOptions(conf));
          RecordReader rows = reader.rows()) {
        VectorizedRowBatch batch = reader.getSchema().createRowBatch();
        while (rows.nextBatch(batch)) {
          LongColumnVector ids = (LongColumnVector) batch.cols[0];
          BytesColumnVector names = (BytesColumnVector) batch.cols[1];
          for (int row = 0; row < batch.size; row++) {
            int id = ids.isRepeating ? 0 : row;
            records.add(ids.vector[id] + "\t" + names.toString(row));
          }
        }
      }
      return records;
    }
  };

  private final Class<?> v1;
  private final Class<?> v2;
  private final String extension;

  Format(Class<?> v1, Class<?> v2, String extension) {
    this.v1 = v1;
    this.v2 = v2;
    this.extension = extension;
  }

  /** The format's class in the API of {@code org.apache.hadoop.mapred}. */
  Class<?> v1() {
    return v1;
  }

  /** The format's class in the API of {@code org.apache.hadoop.mapreduce}. */
  Class<?> v2() {
    return v2;
  }

  /** Sets what the format needs beside its class. */
  void configure(Configuration conf) {}

  abstract Object key(long id);

  abstract Object value(long id);

  /** A part's records in their order, each as {@link #record}. */
  abstract List<String> read(Path part, Configuration conf) throws IOException;

  /** The name of a map task's part in an empty directory. */
  String plainName(boolean v2, int map) {
    return String.format(v2 ? "part-m-%05d" : "part-%05d", map) + extension;
  }

  /** A record as {@link #read} returns it. */
  static String record(long id) {
    return id + "\t" + text(id);
  }

  private static String text(long id) {
    return "value " + id;
  }
}
