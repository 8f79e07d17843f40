package io.zerorename.hive.matrix;

class TezMatrixTest extends MatrixTest {
  TezMatrixTest() {
    super("tez");
  }
}
