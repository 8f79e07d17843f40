package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.ELSEWHERE;
import static io.zerorename.core.commit.SimulatedCluster.ELSEWHERE_PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;

/** Kinds of jobs, by how their tasks hand over what they wrote, and by what they replace. */
// Its lists are made by List.of.
@SuppressWarnings("ImmutableEnumChecker")
public enum JobKind implements JobShape {
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
  TWO_BUCKETS_OVERWRITE_PARTITIONS(
      Style.HIVE,
      false,
      List.of("other:day=2/0", "day=1/0", "other:day=3/0"),
      List.of(
          "day=1/old",
          "other:day=2/old1",
          "other:day=2/old2",
          "other:day=2/_hidden",
          "other:day=4/other"),
      "other:day=2/9"),
  TWO_BUCKETS_OVERWRITE(
      Style.HIVE,
      false,
      List.of("0", "other:1"),
      List.of("old1", "other:old2", "other:_hidden", "other:"),
      "other:9"),
  EMPTY_OVERWRITE(Style.HIVE, false, List.of(), List.of("old1", "old2"), "9"),
  MR_PLAIN_NAMES(Style.MR_CLUSTER, true, List.of("part-0", "part-1"), List.of("_hidden"), "part-0"),
  MR_RECORDS_ON_S3(
      Style.MR_S3, false, List.of("part-0", "part-1"), List.of("day=1/old"), "part-0x"),
  INLINED_APPEND(Style.HIVE, false, List.of("day=1/0", "day=2/0"), List.of("day=1/old"), "day=1/9"),
  INLINED_OVERWRITE(
      Style.HIVE,
      false,
      List.of("day=1/0", "day=2/0", "day=3/0"),
      List.of("day=1/old1", "day=2/old", "day=4/other", "gone/old"),
      "day=1/9"),
  /** Small files of the log's bucket are written whole, those of the other are uploaded. */
  INLINED_TWO_BUCKETS(
      Style.HIVE,
      false,
      List.of("other:day=2/0", "other:day=3/0", "day=1/0"),
      List.of("day=1/old", "other:day=2/old", "other:day=4/other"),
      "other:day=2/9"),
  INLINED_PLAIN_NAMES(
      Style.MR_CLUSTER, true, List.of("part-0", "part-1"), List.of("_hidden"), "part-0"),
  INLINED_RECORDS_ON_S3(
      Style.MR_S3, false, List.of("part-0", "part-1"), List.of("day=1/old"), "part-0x");

  /** Before the names of files that are in another bucket than the table. */
  private static final String OTHER = "other:";

  private final Style style;
  private final boolean plainNames;
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

  @Override
  public Style style() {
    return style;
  }

  @Override
  public boolean plainNames() {
    return plainNames;
  }

  /** The first file and each second after it. */
  @Override
  public boolean inlines(int task) {
    return inlines() && task % 2 == 0;
  }

  boolean inlines() {
    return name().startsWith("INLINED");
  }

  @Override
  public List<Path> writes(String jobId) {
    return writes.stream().map(name -> path(name, jobId)).toList();
  }

  @Override
  public Path loses(String jobId) {
    return path(loses, jobId);
  }

  private Path path(String name, String jobId) {
    String unique = plainNames ? name : name + "." + jobId;
    return isElsewhere(unique)
        ? new Path(ELSEWHERE, unique.substring(OTHER.length()))
        : new Path(TABLE, unique);
  }

  private static boolean isElsewhere(String name) {
    return name.startsWith(OTHER);
  }

  @Override
  public List<Path> roots() {
    return isInTwoBuckets() ? List.of(TABLE, ELSEWHERE) : List.of(TABLE);
  }

  boolean isInTwoBuckets() {
    return writes.stream().anyMatch(JobKind::isElsewhere);
  }

  /** Names of what is in the table before. */
  Set<String> there() {
    Set<String> keys = new TreeSet<>();
    there.forEach(
        name ->
            keys.add(
                isElsewhere(name)
                    ? ELSEWHERE_PREFIX + name.substring(OTHER.length())
                    : PREFIX + name));
    return keys;
  }

  @Override
  public Overwrite overwrite() {
    return switch (this) {
      case OVERWRITE_TABLE, EMPTY_OVERWRITE -> Overwrite.directory(TABLE);
      case TWO_BUCKETS_OVERWRITE -> written -> Set.of(TABLE, ELSEWHERE);
      case TWO_BUCKETS_OVERWRITE_PARTITIONS, INLINED_TWO_BUCKETS -> Overwrite.directoriesOfFiles();
      case OVERWRITE_PARTITIONS, INLINED_OVERWRITE ->
          written -> {
            Set<Path> directories =
                new HashSet<>(Overwrite.directoriesOfFiles().directories(written));
            directories.add(new Path(TABLE, "gone"));
            return directories;
          };
      default -> Overwrite.none();
    };
  }

  /** Markers that a commit writes. */
  Set<String> markers() {
    return switch (this) {
      case EMPTY_OVERWRITE -> Set.of(PREFIX);
      case OVERWRITE_PARTITIONS, INLINED_OVERWRITE -> Set.of(PREFIX + "gone/");
      default -> Set.of();
    };
  }
}
