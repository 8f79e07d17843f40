-- group: Where the rows come from
-- formats: orc

-- shape: from-itself
-- title: from the table itself: INTO, then OVERWRITE
-- rows: 5
-- formats: orc parquet
create external table t (a int, b string) ${stored};
-- run
insert into t values (1, 'a'), (2, 'b'), (3, null);
insert into t select a + 1, b from t;
insert overwrite table t select a, b from t where a > 1;

-- shape: from-itself-dynamic
-- title: from the table itself, OVERWRITE of dynamic partitions
-- rows: 6
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p) select a, b, p from src.few;
insert overwrite table t partition (p) select a + 10, b, p from t;

-- shape: nothing
-- title: an empty result OVERWRITEs a table, which clears it
-- rows: 0
-- formats: orc parquet text
-- stock: scratch
create external table t (a int, b string) ${stored};
-- run
insert overwrite table t values (1, 'a');
insert overwrite table t select a, b from src.nothing;

-- shape: nothing-static
-- title: an empty result OVERWRITEs a static partition, which clears it, and a new one
-- rows: 1
-- stock: scratch
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p) values (1, 'a', 'p1'), (2, 'b', 'p2');
insert overwrite table t partition (p='p1') select a, b from src.nothing;
insert overwrite table t partition (p='p3') select a, b from src.nothing;

-- shape: nothing-dynamic
-- title: an empty result OVERWRITEs dynamic partitions, all of which stay
-- rows: 2
-- stock: scratch
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p) values (1, 'a', 'p1'), (2, 'b', 'p2');
insert overwrite table t partition (p) select a, b, p from src.nothing;

-- shape: nothing-into
-- title: an empty result goes INTO a table and INTO dynamic partitions
-- rows: 2
-- formats: orc parquet
-- stock: scratch
create external table t (a int, b string) ${stored};
create external table d (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t values (1, 'a');
insert into t select a, b from src.nothing;
insert into d partition (p) values (1, 'a', 'p1');
insert into d partition (p) select a, b, p from src.nothing;

-- shape: from-view
-- title: from a view
-- rows: 3
create external table t (a int, b string) ${stored};
create view v as select a, b from src.few where p = 'p1';
-- run
insert overwrite table t select * from v;

-- shape: reducers
-- title: from three reducers, OVERWRITE of dynamic partitions
-- rows: 6
-- set: mapreduce.job.reduces=3
-- set: hive.optimize.sort.dynamic.partition.threshold=-1
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p) select a, b, p from src.few distribute by a;
insert overwrite table t partition (p) select a, b, p from src.few distribute by a;

-- shape: join
-- title: from a join
-- rows: 20
-- set: hive.exec.submit.local.task.via.child=false
-- why: on MR a map join is prepared in a process, by the script "hadoop", unless told not to
create external table t (a int, b string) ${stored};
-- run
insert overwrite table t select x.a, y.b from src.few x join src.few y on x.q = y.q;
insert into t select x.a, max(y.b) from src.few x left join src.few y on x.a = y.a group by x.a limit 2;
