package io.zerorename.hive.fallback;

/**
 * Why an INSERT into S3 keeps Hive's own rename path. The names are shown to users and do not
 * change.
 */
public enum FallbackReason {
  DISABLED("ZR-5001", "the committer is switched off here"),
  BAD_CONFIGURATION("ZR-5002", "a setting of the committer cannot be used"),
  LIFETIME_HOOK_MISSING(
      "ZR-5003",
      "hive.query.lifetime.hooks does not name io.zerorename.hive.ZeroRenameHook, which cleans up"
          + " after a failed query; add it"),
  /** MERGE and other statements that are no plain INSERT. */
  STATEMENT("ZR-5004", "only plain INSERT and CREATE TABLE AS SELECT are covered so far"),
  MULTI_INSERT("ZR-5005", "the statement writes to another target at the same place"),
  UNION(
      "ZR-5006",
      "the branches of a UNION ALL write to the target in jobs of their own, because"
          + " hive.optimize.union.remove is true on MapReduce"),
  /** An ACID table, full or insert-only: Hive writes those in place already. */
  ACID("ZR-5007", "the table is transactional"),
  CONDITIONAL_TASK(
      "ZR-5008",
      "the plan has a conditional task (small-file merge or a join that is resolved at run time);"
          + " hive.merge.tezfiles, hive.merge.mapfiles, hive.merge.mapredfiles and"
          + " hive.auto.convert.join decide about those; zerorename.hive.merge=commit covers most of them"),
  PLAN_SHAPE("ZR-5009", "the plan has a shape that is not covered so far"),
  LIST_BUCKETING("ZR-5010", "the table is list-bucketed (skewed, stored as directories)"),
  /** HBase, Iceberg, Kafka and so on. */
  STORAGE_HANDLER("ZR-5011", "the table has a storage handler"),
  TEMPORARY_TABLE("ZR-5012", "the table is temporary"),
  MATERIALIZED_VIEW("ZR-5013", "the target is a materialized view"),
  /** A format whose writer is not proved to work through a pending file. */
  FORMAT("ZR-5014", "the table's output format is none of those that Hive itself has for tables"),
  /** An engine that is not proved to work, or LLAP's daemons, which need the jar themselves. */
  ENGINE(
      "ZR-5015",
      "the execution engine is neither Tez nor MR, or its mode is LLAP and zerorename.hive.llap is not commit"),
  /** The detail names the location; docs/support.md lists the cases. */
  CUSTOM_PARTITION_LOCATION(
      "ZR-5016",
      "the table or one of its partitions has a location that the committer does not cover"),
  TRASH(
      "ZR-5017",
      "fs.trash.interval is above 0, so that Hive moves overwritten files to Trash; set"
          + " 'auto.purge'='true' on the table, or zerorename.hive.trash=delete, if they may be"
          + " deleted for good"),
  REPLICATION(
      "ZR-5018",
      "hive.repl.cm.enabled is true, so that Hive keeps overwritten files for replication"),
  SCRATCH_ON_S3(
      "ZR-5019",
      "hive.exec.scratchdir is on S3 and zerorename.work.dir is not set; the committer needs one of"
          + " them on HDFS or another file system that renames"),
  /** Multipart uploads of client-side encryption need their parts in sequence. */
  CLIENT_SIDE_ENCRYPTION("ZR-5020", "fs.s3a.encryption.algorithm asks for client-side encryption"),
  /** S3A may not use multipart uploads, and the committer uses nothing else. */
  MULTIPART_OFF("ZR-5021", "fs.s3a.multipart.uploads.enabled is false"),
  /** The one reason for which a statement fails whatever the user wants: Hive would do the harm. */
  COMMIT_RECORDS(
      "ZR-5022",
      "zerorename.commit.dir lies among the files that an INSERT OVERWRITE replaces; Hive's own path"
          + " would delete the records of commits as well, so the statement fails"),
  HIVE_VERSION("ZR-5024", "this Hive lacks a class or a member that the committer uses"),
  HADOOP_VERSION(
      "ZR-5025",
      "the committer needs Hadoop 3.4.1 or later, whose S3A brings the AWS SDK in version 2; Hive 4.0"
          + " ships with Hadoop 3.3"),
  /** Something went wrong while the statement was examined; the plan was not changed. */
  INTERNAL("ZR-5023", "the committer met an unexpected problem; see the log of HiveServer2");

  private final String code;
  private final String explanation;

  FallbackReason(String code, String explanation) {
    this.code = code;
    this.explanation = explanation;
  }

  /** Of the list of messages. */
  String code() {
    return code;
  }

  /** For messages, as part of a sentence. */
  public String explanation() {
    return explanation;
  }
}
