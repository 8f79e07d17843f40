package io.zerorename.cli;

import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.store.StoreException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.s3a.UnknownStoreException;

/**
 * A failure as the user sees it.
 *
 * @param line what happened, without a line's end
 */
record Problem(ExitCode code, String line) {
  static Problem of(Throwable failure) {
    if (failure instanceof UncheckedIOException unchecked) {
      return of(unchecked.getCause());
    }
    if (failure instanceof InputException || failure instanceof InvalidSettingException) {
      return new Problem(ExitCode.USAGE, oneLine(failure.getMessage()));
    }
    if (failure instanceof StoreException store) {
      return new Problem(
          store.kind() == StoreException.Kind.NO_SUCH_BUCKET ? ExitCode.USAGE : ExitCode.FAILED,
          oneLine(store.getMessage()));
    }
    if (failure instanceof UnknownStoreException || failure instanceof FileNotFoundException) {
      return new Problem(ExitCode.USAGE, oneLine(failure.getMessage()));
    }
    if (failure instanceof IOException && failure.getMessage() != null) {
      return new Problem(ExitCode.FAILED, oneLine(failure.getMessage()));
    }
    // A message of a defect says little without its class.
    return new Problem(
        ExitCode.FAILED, oneLine(failure.toString()) + " (add --verbose to see where)");
  }

  private static String oneLine(String text) {
    return text == null ? "unknown" : text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
