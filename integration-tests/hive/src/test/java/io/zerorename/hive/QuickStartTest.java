package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.hive.LocalHive;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the page "Quick start" tells a reader to type does what it says. */
class QuickStartTest {
  private static final Page PAGE = Page.of(SourceTree.root().resolve("docs/quick-start.md"));

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void asThePageSays() throws Exception {
    Pattern.compile("<name>(.*hook.*)</name>\\s*<value>(.*)</value>")
        .matcher(PAGE.text())
        .results()
        .forEach(property -> s3.hive().set(property.group(1), property.group(2)));
  }

  @Test
  void statementsCommitWithTheLineThatIsShownAndCanBeSwitchedOff() throws Exception {
    List<String> write = statements(0);
    List<String> off = statements(1);
    String insert = write.get(1);
    LocalHive hive = s3.hive();

    hive.execute(write.get(0));
    hive.execute(insert);
    assertThat(hive.console()).containsSubsequence(shown());
    assertThat(hive.execute("select day, id from try_it")).containsExactly("mon\t1", "tue\t2");

    String[] setting = off.get(0).replaceFirst("set ", "").split("=", 2);
    hive.set(setting[0], setting[1]);
    hive.compile(insert);
    assertThat(hive.console()).contains("default.try_it is written by Hive's own rename path");
    hive.set(setting[0], "true");
    hive.execute(off.get(1));
    hive.compile(insert);
    assertThat(hive.console()).contains("default.try_it is written by Hive's own rename path");
  }

  /** What must stand on the console, without what differs each time. */
  private static List<String> shown() {
    return blocks("").stream()
        .filter(block -> block.startsWith("zero-rename: "))
        .flatMap(block -> Stream.of(block.split("…")))
        .toList();
  }

  private static List<String> statements(int block) {
    return Stream.of(blocks("sql").get(block).split(";\\s*"))
        .map(statement -> statement.replace("s3a://bucket/", "s3a://" + HiveOnS3.BUCKET + "/"))
        .toList();
  }

  private static List<String> blocks(String language) {
    return PAGE.blocks().stream()
        .filter(block -> block.language().equals(language))
        .map(block -> block.text().strip())
        .toList();
  }
}
