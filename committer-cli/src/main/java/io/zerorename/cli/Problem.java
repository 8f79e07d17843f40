package io.zerorename.cli;

import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A failure as the user sees it, in one line. */
record Problem(ExitCode code, String line) {
  private static final String S3A = "org.apache.hadoop.fs.s3a.";

  /**
   * @param verbose whether the stack trace is printed as well
   */
  static Problem of(Throwable failure, boolean verbose) {
    if (failure instanceof UncheckedIOException unchecked) {
      return of(unchecked.getCause(), verbose);
    }
    if (failure instanceof InputException || failure instanceof InvalidSettingException) {
      return new Problem(ExitCode.USAGE, oneLine(failure.getMessage()));
    }
    if (failure instanceof StoreException store) {
      return new Problem(
          store.kind() == StoreException.Kind.NO_SUCH_BUCKET ? ExitCode.USAGE : ExitCode.FAILED,
          oneLine(store.getMessage()));
    }
    if (lacksS3A(failure)) {
      return new Problem(
          ExitCode.USAGE,
          "hadoop-aws is not on Hadoop's class path; set HADOOP_OPTIONAL_TOOLS=hadoop-aws in"
              + " hadoop-env.sh");
    }
    if (failure instanceof IOException && failure.getMessage() != null) {
      return new Problem(ExitCode.FAILED, oneLine(failure.getMessage()));
    }
    // The message of a defect means little without its class.
    return new Problem(
        ExitCode.FAILED,
        oneLine(failure.toString()) + (verbose ? "" : " (add --verbose to see where)"));
  }

  private static boolean lacksS3A(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if ((cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError)
          && String.valueOf(cause.getMessage()).replace('/', '.').contains(S3A)) {
        return true;
      }
    }
    return false;
  }

  private static String oneLine(String text) {
    return text == null ? "unknown" : text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
