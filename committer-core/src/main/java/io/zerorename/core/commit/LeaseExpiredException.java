package io.zerorename.core.commit;

import java.io.IOException;

/** The time is over in which the executor of an entry may PUT small files; some are left. */
final class LeaseExpiredException extends IOException {
  LeaseExpiredException(long number) {
    super("ZR-1122: The write lease of entry " + number + " is over, and small files are left");
  }
}
