package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Records on a cluster file system whose clock runs with simulated time; those that they wrap read
 * this machine's clock.
 */
final class SimulatedRecords extends ForwardingRecords {
  private final Supplier<Duration> ahead;

  /**
   * @param ahead how far the simulated clock is ahead
   */
  SimulatedRecords(RecordStore records, Supplier<Duration> ahead) {
    super(records);
    this.ahead = requireNonNull(ahead, "ahead");
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document, Instant asOf) throws IOException {
    return super.putIfAbsent(name, document, asOf.minus(ahead.get()));
  }

  @Override
  public Instant now() throws IOException {
    return super.now().plus(ahead.get());
  }
}
