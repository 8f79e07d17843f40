package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class CompletedEtagsTest {
  @Test
  void theFirstByPathAreKeptInWhateverOrderTheyCome() {
    CompletedEtags notes = new CompletedEtags(2);
    for (String name : List.of("c", "a", "d", "b")) {
      notes.note(new Path("s3a://bucket/t/" + name), "tag-" + name);
    }
    assertThat(notes.all())
        .hasSize(2)
        .containsEntry("s3a://bucket/t/a", "tag-a")
        .containsEntry("s3a://bucket/t/b", "tag-b");
  }

  @Test
  void whoeverWantsNoneKeepsNone() {
    CompletedEtags notes = new CompletedEtags(0);
    notes.note(new Path("s3a://bucket/t/a"), "tag");
    assertThat(notes.all()).isEmpty();
  }
}
