package io.zerorename.core.kill;

import io.zerorename.core.commit.Overwrite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;

/**
 * What a process of the soak does next, by chance. The table has two levels of directories, so that
 * statements replace some of each other's directories, and directories above them.
 *
 * @param id which the names of its files carry
 * @param small whether its files travel to the commit
 * @param directories relative to the table: those that a TRUNCATE empties, or an overwrite with
 *     whatever is below; of other jobs those of the files
 * @param files empty for a TRUNCATE
 */
record SoakJob(
    String id, Kind kind, boolean small, List<String> directories, List<ScriptedJob.File> files) {
  private static final int WIDTH = 3;

  /**
   * Where small files go. Who overwrites such files behind a crash waits for minutes, by design. So
   * few processes do, and the others have directories without.
   */
  private static final String SMALL = "p=small/q=0";

  private static final int LONGEST = 40;

  /** A statement. */
  enum Kind {
    /** INSERT INTO. */
    ADD,
    /** INSERT OVERWRITE. */
    REPLACE,
    /** The engine deletes files by itself. */
    TRUNCATE
  }

  /**
   * One of any kind.
   *
   * @param overwritesSmall whether it may replace small files
   */
  static SoakJob any(String id, Random random, boolean overwritesSmall) {
    int dice = random.nextInt(100);
    Kind kind = dice < 50 ? Kind.ADD : dice < 75 ? Kind.REPLACE : Kind.TRUNCATE;
    if (random.nextInt(10) == 0 && (kind == Kind.ADD || overwritesSmall)) {
      return of(id, kind, true, List.of(SMALL), random);
    }
    String above = "p=" + random.nextInt(WIDTH);
    if (kind != Kind.ADD && random.nextInt(4) == 0) {
      return of(id, kind, false, List.of(above), random);
    }
    List<String> directories = new ArrayList<>();
    directories.add(above + "/q=" + random.nextInt(WIDTH));
    if (random.nextBoolean()) {
      directories.add("p=" + random.nextInt(WIDTH) + "/q=" + random.nextInt(WIDTH));
    }
    return of(id, kind, false, directories.stream().distinct().toList(), random);
  }

  private static SoakJob of(
      String id, Kind kind, boolean small, List<String> directories, Random random) {
    List<ScriptedJob.File> files = new ArrayList<>();
    for (String directory : kind == Kind.TRUNCATE ? List.<String>of() : directories) {
      boolean isAbove = directory.indexOf('/') < 0;
      IntStream.rangeClosed(0, random.nextInt(3))
          .mapToObj(i -> (isAbove ? directory + "/q=" + i % WIDTH : directory) + "/" + i + "." + id)
          .map(name -> new ScriptedJob.File(name, content(name)))
          .forEach(files::add);
    }
    return new SoakJob(id, kind, small, directories, files);
  }

  /** All that a file holds follows from its name, relative to the table. */
  static String content(String name) {
    return (name + "\n").repeat(1 + Math.floorMod(name.hashCode(), LONGEST));
  }

  /** What an attempt writes that is not chosen. */
  List<ScriptedJob.File> losing() {
    return files.stream()
        .map(file -> new ScriptedJob.File(file.name().replace("." + id, ".lost." + id), "lost"))
        .toList();
  }

  Overwrite overwrite(Path table) {
    if (kind == Kind.ADD) {
      return Overwrite.none();
    }
    return above()
        .map(it -> Overwrite.directory(new Path(table, it)))
        .orElseGet(Overwrite::directoriesOfFiles);
  }

  /** The directory of directories that it replaces. */
  private Optional<String> above() {
    return directories.stream().filter(it -> it.indexOf('/') < 0).findFirst();
  }
}
