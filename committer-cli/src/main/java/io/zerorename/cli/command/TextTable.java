package io.zerorename.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Columns as wide as their widest entry, for a person. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();
  private final Set<Integer> numbers;

  /**
   * @param numbers the columns that are aligned to the right, from 0
   */
  public TextTable(Set<Integer> numbers, String... heads) {
    this.numbers = Set.copyOf(numbers);
    rows.add(List.of(heads));
  }

  public void row(String... cells) {
    rows.add(List.of(cells));
  }

  public void print(Output output) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String blank = " ".repeat(widths[i] - row.get(i).length());
        line.append(numbers.contains(i) ? blank + row.get(i) : row.get(i) + blank).append("  ");
      }
      output.line(line.toString().stripTrailing());
    }
  }
}
