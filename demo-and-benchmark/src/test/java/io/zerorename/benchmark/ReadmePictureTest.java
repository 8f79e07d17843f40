package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.report.BarChart.Bar;
import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import io.zerorename.report.Picture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The picture of the README, drawn from the table beside it. */
class ReadmePictureTest {
  private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
  private static final Path FILE = ROOT.resolve("docs/images/overview.svg");

  @Test
  void pictureShowsTheTable() throws Exception {
    List<List<String>> rows =
        Files.readAllLines(ROOT.resolve("README.md")).stream()
            .dropWhile(line -> !line.startsWith("| |"))
            .takeWhile(line -> line.startsWith("|"))
            .filter(line -> !line.startsWith("|---"))
            .map(line -> Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList())
            .toList();
    assertThat(rows).hasSize(4);
    List<Chart> charts = new ArrayList<>();
    for (List<String> row : rows.subList(1, 4)) {
      charts.add(chart(rows.get(0), row));
    }

    String svg = Picture.of("INSERT OVERWRITE of 100 partitions, Hive on Tez", List.of(), charts);

    if (Boolean.getBoolean("zerorename.pictures.write")) {
      Files.writeString(FILE, svg);
    }
    assertThat(FILE).as("draw it with -Dzerorename.pictures.write=true").hasContent(svg);
    assertThat(svg).contains("5,941", "111", "prefers-color-scheme: dark");
  }

  private static Chart chart(List<String> subjects, List<String> row) {
    return new Chart(
        row.get(0),
        IntStream.range(1, row.size())
            .mapToObj(
                i -> {
                  String text = row.get(i).replace("*", "");
                  double value = Double.parseDouble(text.replace(",", ""));
                  String color =
                      subjects.get(i).equals("zero-rename") ? "phase-commit" : "phase-rest";
                  return new Bar(subjects.get(i), List.of(new Segment("", value, color, "")), text);
                })
            .toList());
  }
}
