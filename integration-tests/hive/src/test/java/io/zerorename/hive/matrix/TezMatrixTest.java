package io.zerorename.hive.matrix;

import org.junit.jupiter.api.Tag;

@Tag("matrix")
class TezMatrixTest extends MatrixTest {
  TezMatrixTest() {
    super("tez");
  }
}
