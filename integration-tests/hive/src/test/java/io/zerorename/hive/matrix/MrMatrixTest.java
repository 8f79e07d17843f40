package io.zerorename.hive.matrix;

class MrMatrixTest extends MatrixTest {
  MrMatrixTest() {
    super("mr");
  }
}
