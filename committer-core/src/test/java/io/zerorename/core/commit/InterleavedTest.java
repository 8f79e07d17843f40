package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterleavedTest {

  @Test
  void groupsTakeTurnsAndKeepTheirOrder() {
    assertThat(over(List.of("a1", "a2", "a3", "b1", "c1", "c2")))
        .containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
  }

  @Test
  void oneGroupStaysAsItIs() {
    assertThat(over(List.of("a1", "a2", "a3"))).containsExactly("a1", "a2", "a3");
    assertThat(over(List.of())).isEmpty();
  }

  @Test
  void aLongListIsOrderedWindowByWindow() {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < Interleaved.WINDOW; i++) {
      items.add((i < Interleaved.WINDOW / 2 ? "a" : "b") + i);
    }
    items.add("c1");
    items.add("d1");
    items.add("c2");
    List<String> result = over(items);
    assertThat(result).containsExactlyInAnyOrderElementsOf(items);
    assertThat(result.subList(0, 4)).containsExactly("a0", "b5000", "a1", "b5001");
    assertThat(result.subList(Interleaved.WINDOW, items.size())).containsExactly("c1", "d1", "c2");
  }

  private static List<String> over(List<String> items) {
    return Interleaved.over(items, item -> item.charAt(0));
  }
}
