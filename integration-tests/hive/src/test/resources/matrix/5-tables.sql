-- group: Kinds of tables
-- formats: orc

-- shape: bucketed
-- title: a bucketed table
-- rows: 9
-- formats: orc text
create external table t (a int, b string) clustered by (a) into 2 buckets ${stored};
-- run
insert overwrite table t select a, b from src.few;
insert into t values (7, 'g'), (8, 'h'), (9, null);

-- shape: bucketed-sorted
-- title: a bucketed and sorted table with dynamic partitions
-- rows: 6
create external table t (a int, b string) partitioned by (p string) clustered by (a) sorted by (a) into 2 buckets ${stored};
-- run
insert overwrite table t partition (p) select a, b, p from src.few;
insert overwrite table t partition (p) select a, b, p from src.few;

-- shape: list-bucketed
-- title: a list-bucketed table (SKEWED BY … STORED AS DIRECTORIES)
-- rows: 9
-- set: hive.mapred.supports.subdirectories=true
-- set: mapreduce.input.fileinputformat.input.dir.recursive=true
-- why: MR does not read what is in the directories of a partition unless told to
create external table t (a int, b string) partitioned by (p string) skewed by (a) on (1) stored as directories ${stored};
-- run
insert overwrite table t partition (p='1') select a, b from src.few;
insert into t partition (p='1') values (1, 'g'), (1, 'h'), (9, null);

-- shape: managed
-- title: a managed table that is not transactional
-- rows: 6
create table t (a int, b string) ${stored} tblproperties ('transactional'='false');
-- run
insert into t values (1, 'a');
insert overwrite table t select a, b from src.few;

-- shape: temporary
-- title: a temporary table
-- rows: 6
create temporary table t (a int, b string) ${stored} location '${root}/t';
-- run
insert into t values (1, 'a');
insert overwrite table t select a, b from src.few;

-- shape: acid
-- title: a transactional table (full ACID)
-- rows: 7
-- formats: orc
-- set: hive.support.concurrency=true
-- set: hive.txn.manager=org.apache.hadoop.hive.ql.lockmgr.DbTxnManager
create table t (a int, b string) ${stored} tblproperties ('transactional'='true');
-- run
insert overwrite table t select a, b from src.few;
insert into t values (1, 'a');

-- shape: insert-only
-- title: an insert-only transactional table
-- rows: 7
-- set: hive.support.concurrency=true
-- set: hive.txn.manager=org.apache.hadoop.hive.ql.lockmgr.DbTxnManager
create table t (a int, b string) ${stored} tblproperties ('transactional'='true', 'transactional_properties'='insert_only');
-- run
insert overwrite table t select a, b from src.few;
insert into t values (1, 'a');

-- shape: locked
-- title: a plain table under DbTxnManager
-- rows: 13
-- set: hive.support.concurrency=true
-- set: hive.txn.manager=org.apache.hadoop.hive.ql.lockmgr.DbTxnManager
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t select a, b from src.few;
insert into t values (1, 'a');
insert overwrite table d partition (p) select a, b, p from src.few;

-- shape: load
-- title: LOAD DATA
-- rows: 3
-- formats: text
create external table t (a int, b string) row format delimited fields terminated by ',' ${stored};
-- run
load data local inpath '${local}/load.txt' into table t;
load data local inpath '${local}/load.txt' overwrite into table t;
