package io.zerorename.core.kill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a TRUNCATE was going to delete, written down before it deleted anything. One whose process
 * is killed before its entry is decided counts as not run: the log has nothing of it, and yet some
 * of these files are gone. No entry can explain that, so this note has to; and it explains no more
 * than these files.
 *
 * @param id of the statement
 * @param before the highest number of the log before the statement read it
 * @param directories that it empties, relative to the table
 * @param keys of the files that it has listed there
 */
record TruncateNote(String id, long before, List<String> directories, List<String> keys) {
  private static final String DIRECTORY = "truncates";

  TruncateNote {
    directories = List.copyOf(directories);
    keys = List.copyOf(keys);
  }

  /**
   * Of one that ended without an entry: whether it stands behind an entry that has a file there.
   */
  boolean isBehind(long number, String directory) {
    return number <= before
        && directories.stream().anyMatch(it -> (directory + "/").startsWith(it + "/"));
  }

  void writeIn(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(String.valueOf(before));
    lines.add(String.join(" ", directories));
    lines.addAll(keys);
    Files.write(Files.createDirectories(directory.resolve(DIRECTORY)).resolve(id), lines);
  }

  /** Empty where the statement did not come to delete anything. */
  static Optional<TruncateNote> of(String id, Path directory) throws IOException {
    Path file = directory.resolve(DIRECTORY).resolve(id);
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    return lines.size() < 2
        ? Optional.empty()
        : Optional.of(
            new TruncateNote(
                id,
                Long.parseLong(lines.get(0)),
                List.of(lines.get(1).split(" ", -1)),
                lines.subList(2, lines.size())));
  }
}
