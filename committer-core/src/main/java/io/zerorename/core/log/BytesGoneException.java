package io.zerorename.core.log;

import java.io.IOException;

/**
 * The bytes of an entry's small files were deleted: all of its files have been in place, or an
 * operator has given it up.
 */
public final class BytesGoneException extends IOException {
  BytesGoneException(String where) {
    super("ZR-1201: The contents of small files, " + where + ", were deleted");
  }
}
