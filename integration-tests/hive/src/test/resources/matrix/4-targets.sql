-- group: Several targets, new tables, directories
-- formats: orc

-- shape: multi-tables
-- title: multi-insert: INTO one table, OVERWRITE of another
-- rows: 15
create external table t (a int, b string) ${stored};
create external table u (a int) ${stored};
-- run
from src.few insert into t select a, b insert overwrite table u select a where a > 3;
from src.few insert into t select a, b insert overwrite table u select a where a > 3;

-- shape: multi-partitions
-- title: multi-insert into two partitions of a table
-- rows: 15
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
from src.few insert into t partition (p='1') select a, b insert overwrite table t partition (p='2') select a, b where a > 3;
from src.few insert into t partition (p='1') select a, b insert overwrite table t partition (p='2') select a, b where a > 3;

-- shape: multi-dynamic
-- title: multi-insert: dynamic partitions and a table
-- rows: 12
-- formats: orc parquet
create external table t (a int, b string) partitioned by (p string) ${stored};
create external table u (a int) ${stored};
-- run
from src.few insert overwrite table t partition (p) select a, b, p insert overwrite table u select a;
from src.few insert overwrite table t partition (p) select a, b, p insert overwrite table u select a;

-- shape: multi-mixed
-- title: multi-insert: a static and a mixed partition of a table, and dynamic partitions of another
-- rows: 24
create external table t (a int, b string) partitioned by (p string, q int) ${stored};
create external table u (a int, b string) partitioned by (p string, q int) ${stored};
-- run
from src.few insert into t partition (p='x y', q) select a, b, a insert overwrite table t partition (p='z', q=1) select a, b insert overwrite table u partition (p, q) select a, b, b, a;
from src.few insert into t partition (p='x y', q) select a, b, a insert overwrite table t partition (p='z', q=1) select a, b insert overwrite table u partition (p, q) select a, b, b, a;

-- shape: multi-nothing
-- title: multi-insert of an empty result: OVERWRITE of a static partition and of dynamic ones
-- rows: 1
-- stock: scratch
create external table t (a int, b string) partitioned by (p string) ${stored};
create external table u (a int, b string) partitioned by (p string) ${stored};
-- run
insert into t partition (p='1') values (1, 'a');
insert into u partition (p) values (1, 'a', '1');
from src.nothing insert overwrite table t partition (p='1') select a, b insert overwrite table u partition (p) select a, b, p;

-- shape: union
-- title: UNION ALL into a table
-- rows: 27
create external table t (a int, b string) ${stored};
-- run
insert into t select a, b from src.few union all select a + 10, b from src.few where a > 3;
insert overwrite table t select a, b from src.few union all select a + 10, b from src.few where a > 3;
insert into t select a, b from src.few union all select a + 10, b from src.few union all select a + 20, b from src.few;

-- shape: union-dynamic
-- title: UNION ALL into dynamic partitions
-- rows: 18
-- formats: orc parquet
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p) select a, b, p from src.few union all select a + 10, b, p from src.few where a > 3;
insert into t partition (p) select a, b, p from src.few union all select a + 10, b, 'p7' from src.few where a > 3;

-- shape: union-static
-- title: UNION ALL into a static partition, with a branch that is grouped
-- rows: 18
create external table t (a int, b string) partitioned by (p string) ${stored};
-- run
insert overwrite table t partition (p='x y') select a, b from src.few where a > 3 union all select a + 10, b from src.few where a > 3 union all select count(*), b from src.few group by b;
insert into t partition (p='x y') select a, b from src.few where a > 3 union all select a + 10, b from src.few where a > 3;

-- shape: union-tables
-- title: UNION ALL, from which a multi-insert writes two tables
-- rows: 23
create external table t (a int, b string) ${stored};
create external table u (a int, b string) ${stored};
-- run
from (select a, b from src.few union all select a + 10, b from src.few) x insert overwrite table t select a, b where a <> 2 insert into u select a, b;

-- shape: ctas
-- title: CREATE TABLE AS SELECT
-- rows: 6
-- formats: orc text
-- run
create external table t ${stored} as select a, b from src.few;

-- shape: ctas-partitioned
-- title: CREATE TABLE … PARTITIONED BY AS SELECT
-- rows: 6
-- formats: orc parquet
-- run
create external table t partitioned by (p) ${stored} as select a, b, p from src.few;

-- shape: ctas-managed
-- title: CREATE TABLE AS SELECT of a managed table that is not transactional
-- rows: 6
-- run
create table t ${stored} tblproperties ('transactional'='false') as select a, b from src.few;

-- shape: directory
-- title: INSERT OVERWRITE DIRECTORY, new and then existing
-- rows: 4
-- formats: orc text
-- run
insert overwrite directory '${root}/t' ${stored} select a, b from src.few;
insert overwrite directory '${root}/t' ${stored} select a, b from src.few where a > 2;
create external table t (a int, b string) ${stored} location '${root}/t';

-- shape: directory-and-table
-- title: multi-insert into a table and a directory
-- rows: 12
-- formats: text
create external table t (a int, b string) ${stored};
create external table u (a int, b string) row format delimited fields terminated by ',' ${stored};
-- run
from src.few insert into t select a, b insert overwrite directory '${root}/u' row format delimited fields terminated by ',' ${stored} select a, b;
