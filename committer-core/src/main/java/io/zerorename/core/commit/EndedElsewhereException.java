package io.zerorename.core.commit;

import java.io.IOException;

/** Another process has brought a commit to its end; nothing may be written for it any more. */
final class EndedElsewhereException extends IOException {
  private static final long serialVersionUID = 1L;

  EndedElsewhereException(String jobId) {
    super("the commit of job " + jobId + " was brought to its end by another process");
  }
}
