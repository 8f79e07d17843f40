-- group: Partitions
-- formats: orc

-- shape: odd-values
-- title: NULL, empty, escaped, non-ASCII and blank partition values
-- rows: 8
-- formats: orc text
-- why: NULL (2) and empty (5) are one partition; a sorted writer of Hive's fails when it gets both
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p) select a, b, p from src.odd where a <> 5;
insert overwrite table t partition (p) select a, b, p from src.odd where a <> 2;
insert into t partition (p='a b') values (8, 'h');
insert overwrite table t partition (p='é/:%=') values (9, 'i'), (10, 'j');

-- shape: many-sorted
-- title: 50 dynamic partitions, sorted (hive.optimize.sort.dynamic.partition)
-- rows: 50
-- formats: orc
-- stock: scratch
-- set: hive.optimize.sort.dynamic.partition.threshold=1
create external table t (a int) partitioned by (p int) ${stored};
-- run
insert into t partition (p) select a, p from src.many;

-- shape: many-unsorted
-- title: 50 dynamic partitions, as many open writers
-- rows: 50
-- formats: parquet
-- stock: scratch
-- set: hive.optimize.sort.dynamic.partition.threshold=-1
create external table t (a int) partitioned by (p int) ${stored};
-- run
insert into t partition (p) select a, p from src.many;

-- shape: own-location-static
-- title: a static partition with a location of its own
-- rows: 2
create external table t (a int, b string) partitioned by (p string) ${stored};
alter table t add partition (p='p1') location '${root}/elsewhere/p1';
-- run
insert into t partition (p='p1') values (1, 'a');
insert overwrite table t partition (p='p1') values (2, 'b'), (3, 'c');

-- shape: own-location-dynamic
-- title: dynamic partitions, one of which has a location of its own
-- rows: 8
create external table t (a int, b string) partitioned by (p string) ${stored};
alter table t add partition (p='p1') location '${root}/elsewhere/p1';
-- run
insert overwrite table t partition (p) select a, b, p from src.few;
insert into t partition (p) values (7, 'g', 'p1'), (8, 'h', 'p5');

-- shape: if-not-exists
-- title: INSERT OVERWRITE … IF NOT EXISTS
-- rows: 1
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p='1') if not exists values (1, 'a');
insert overwrite table t partition (p='1') if not exists values (2, 'b');
