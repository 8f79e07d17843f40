package io.zerorename.hive.matrix;

import org.junit.jupiter.api.Tag;

@Tag("matrix")
class MrMatrixTest extends MatrixTest {
  MrMatrixTest() {
    super("mr");
  }
}
