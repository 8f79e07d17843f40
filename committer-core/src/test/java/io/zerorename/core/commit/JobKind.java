package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.T;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;

/** Kinds of jobs, by how their tasks hand over what they wrote, and by what they replace. */
enum JobKind {
  /** One task adds one file: few enough steps to try pairs of faults. */
  SMALL(Style.HIVE, false, List.of("day=1/0"), List.of(), "day=1/9"),
  APPEND(
      Style.HIVE, false, List.of("day=1/0", "day=2/0"), List.of("day=1/old", "_hidden"), "day=1/9"),
  OVERWRITE_TABLE(
      Style.HIVE, false, List.of("0", "1"), List.of("old1", "sub/old2", "_hidden", ""), "9"),
  OVERWRITE_PARTITIONS(
      Style.HIVE,
      false,
      List.of("day=1/0", "day=2/0", "day=3/0"),
      List.of("day=1/old1", "day=1/old2", "day=2/old", "day=4/other", "gone/old", "day=3/_hidden"),
      "day=1/9"),
  EMPTY_OVERWRITE(Style.HIVE, false, List.of(), List.of("old1", "old2"), "9"),
  MR_PLAIN_NAMES(Style.MR_CLUSTER, true, List.of("part-0", "part-1"), List.of("_hidden"), "part-0"),
  MR_RECORDS_ON_S3(
      Style.MR_S3, false, List.of("part-0", "part-1"), List.of("day=1/old"), "part-0x");

  /** How tasks and job find each other. */
  enum Style {
    /** Files with manifests on the cluster file system; partitions are added at the end. */
    HIVE,
    /** Attempts publish; records are on the cluster file system. */
    MR_CLUSTER,
    /** Attempts publish; there is nothing but S3. */
    MR_S3
  }

  final Style style;
  final boolean plainNames;
  private final List<String> writes;
  private final List<String> there;
  private final String loses;

  JobKind(Style style, boolean plainNames, List<String> writes, List<String> there, String loses) {
    this.style = style;
    this.plainNames = plainNames;
    this.writes = writes;
    this.there = there;
    this.loses = loses;
  }

  /** What the chosen attempts write, one task each. */
  List<Path> writes(String jobId) {
    return writes.stream().map(name -> path(name, jobId)).toList();
  }

  /** What an attempt writes that is not chosen. */
  Path loses(String jobId) {
    return path(loses, jobId);
  }

  private Path path(String name, String jobId) {
    return new Path(TABLE, plainNames ? name : name + "." + jobId);
  }

  /** Keys of what is in the table before. */
  Set<String> there() {
    Set<String> keys = new TreeSet<>();
    there.forEach(name -> keys.add(T + name));
    return keys;
  }

  Overwrite overwrite() {
    return switch (this) {
      case OVERWRITE_TABLE, EMPTY_OVERWRITE -> Overwrite.directory(TABLE);
      case OVERWRITE_PARTITIONS ->
          uploads -> {
            Set<Path> directories =
                new HashSet<>(Overwrite.directoriesOfUploads().directories(uploads));
            directories.add(new Path(TABLE, "gone"));
            return directories;
          };
      default -> Overwrite.none();
    };
  }

  /** Keys that a commit deletes. */
  Set<String> replaced() {
    Set<String> keys = there();
    switch (this) {
      case OVERWRITE_TABLE, EMPTY_OVERWRITE ->
          keys.removeIf(key -> key.contains("_hidden") || key.equals(T));
      case OVERWRITE_PARTITIONS ->
          keys.removeIf(key -> key.contains("day=4") || key.contains("_hidden"));
      default -> keys.clear();
    }
    return keys;
  }

  /** Markers that a commit writes. */
  Set<String> markers() {
    return switch (this) {
      case EMPTY_OVERWRITE -> Set.of(T);
      case OVERWRITE_PARTITIONS -> Set.of(T + "gone/");
      default -> Set.of();
    };
  }
}
