package io.zerorename.core.commit;

import java.io.IOException;

/**
 * A job commit that failed after its decision, or of which it is not known whether it was decided.
 * Files of the job may be visible, no old file was deleted that has to stay, and the job must not
 * simply be run again: what it wrote would be there twice.
 */
public final class CommitStateUnknownException extends IOException {
  CommitStateUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
