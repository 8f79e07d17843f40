package io.zerorename.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundRobinTest {
  @Test
  void directoriesTakeTurnsAndKeepTheirOrder() {
    RoundRobin<String> files = of("a1", "a2", "a3", "b1", "c1", "c2");
    assertThat(files.inOrder()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    assertThat(files.stream()).containsExactly("a1", "a2", "a3", "b1", "c1", "c2");
    assertThat(files.directories()).containsExactly("a", "b", "c");
    assertThat(files.size()).isEqualTo(6);
  }

  @Test
  void oneDirectoryStaysAsItIs() {
    assertThat(of("a1", "a2", "a3").inOrder()).containsExactly("a1", "a2", "a3");
    assertThat(of().inOrder()).isEmpty();
  }

  private static RoundRobin<String> of(String... files) {
    RoundRobin<String> all = new RoundRobin<>();
    for (String file : files) {
      all.add(file.substring(0, 1), file);
    }
    return all;
  }
}
