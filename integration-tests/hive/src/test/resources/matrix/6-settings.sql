-- group: Settings of Hive
-- formats: orc

-- shape: merge
-- title: merge of small files (hive.merge.tezfiles, mapfiles, mapredfiles)
-- rows: 12
-- set: hive.merge.tezfiles=true
-- set: hive.merge.mapfiles=true
-- set: hive.merge.mapredfiles=true
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t select a, b from src.few;
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: parallel
-- title: hive.exec.parallel=true
-- rows: 10
-- set: hive.exec.parallel=true
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table d partition (p) select a, b, p from src.few;
from src.few insert into t select a, b insert overwrite table d partition (p) select a, b, p where a > 3;

-- shape: not-vectorized
-- title: hive.vectorized.execution.enabled=false
-- rows: 12
-- formats: orc parquet
-- set: hive.vectorized.execution.enabled=false
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t select a, b from src.few;
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: no-column-statistics
-- title: hive.stats.column.autogather=false
-- rows: 12
-- set: hive.stats.column.autogather=false
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t select a, b from src.few;
insert into d partition (p) select a, b, p from src.few;

-- shape: no-statistics
-- title: hive.stats.autogather=false
-- rows: 12
-- set: hive.stats.autogather=false
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t select a, b from src.few;
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: gzip
-- title: compressed files (hive.exec.compress.output, gzip)
-- rows: 6
-- formats: text sequencefile
-- set: hive.exec.compress.output=true
-- set: mapreduce.output.fileoutputformat.compress.codec=org.apache.hadoop.io.compress.GzipCodec
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: uploads
-- title: files that are uploaded (zerorename.inline.max.bytes=0)
-- rows: 12
-- set: zerorename.inline.max.bytes=0
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table d partition (p) select a, b, p from src.few;
insert into d partition (p) select a, b, p from src.few;

-- shape: scratch-staging
-- title: hive.use.scratchdir.for.staging=true
-- rows: 6
-- set: hive.use.scratchdir.for.staging=true
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: switched-off
-- title: zerorename.hive.enabled=false
-- rows: 6
-- set: zerorename.hive.enabled=false
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table d partition (p) select a, b, p from src.few;
