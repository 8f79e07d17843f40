-- group: INSERT INTO and INSERT OVERWRITE
-- formats: orc parquet text

-- shape: into
-- title: INTO a table: VALUES, then a query
-- rows: 9
-- formats: orc parquet text csv json avro rcfile sequencefile
create external table t (a int, b string) ${stored};
-- run
insert into t values (1, 'a'), (2, 'b'), (3, null);
insert into t select a, b from src.few;

-- shape: overwrite
-- title: OVERWRITE of a table
-- rows: 6
create external table t (a int, b string) ${stored};
-- run
insert overwrite table t values (1, 'a'), (2, 'b'), (3, null);
insert overwrite table t select a, b from src.few;

-- shape: into-static
-- title: INTO a static partition, new and then existing
-- rows: 7
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p='1') values (1, 'a');
insert into t partition (p='1') select a, b from src.few;

-- shape: overwrite-static
-- title: OVERWRITE of a static partition, new and then existing
-- rows: 6
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p='1') values (1, 'a');
insert overwrite table t partition (p='1') select a, b from src.few;

-- shape: into-dynamic
-- title: INTO dynamic partitions, new and then existing
-- rows: 8
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p) values (1, 'a', 'p1'), (2, 'b', 'p4');
insert into t partition (p) select a, b, p from src.few;

-- shape: overwrite-dynamic
-- title: OVERWRITE of dynamic partitions, new and then existing
-- rows: 7
-- formats: orc parquet text csv json avro rcfile sequencefile
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p) values (1, 'a', 'p1'), (2, 'b', 'p4');
insert overwrite table t partition (p) select a, b, p from src.few;

-- shape: into-mixed
-- title: INTO mixed static and dynamic partitions
-- rows: 7
create external table t (a int, b string) partitioned by (s string, p string) ${stored};
-- run
insert into t partition (s='s=1', p) values (1, 'a', 'p1');
insert into t partition (s='s=1', p) select a, b, p from src.few;

-- shape: overwrite-mixed
-- title: OVERWRITE of mixed static and dynamic partitions
-- rows: 7
create external table t (a int, b string) partitioned by (s string, p string) ${stored};
-- run
insert overwrite table t partition (s='s=1', p) values (1, 'a', 'p1'), (2, 'b', 'p4');
insert overwrite table t partition (s='s=1', p) select a, b, p from src.few;
