package io.zerorename.hive.order;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;

/** What {@link OrderTask} works on; it stays in the process. */
final class OrderWork implements Serializable {
  private static final long serialVersionUID = 1L;

  private final transient StatementOrder order;

  OrderWork(StatementOrder order) {
    this.order = requireNonNull(order, "order");
  }

  StatementOrder order() {
    return order;
  }
}
