package io.zerorename.core.store;

import java.io.IOException;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/** A request to the store that failed. The message names the request, the object and the reason. */
public final class StoreException extends IOException {
  /** What a failure proves about the store's state. */
  public enum Kind {
    /** There is no such object. */
    NOT_FOUND,
    /** There is no such bucket. */
    NO_SUCH_BUCKET,
    /** There is no such upload: never begun, aborted, completed, or removed by a lifecycle rule. */
    NO_SUCH_UPLOAD,
    /** A condition of the request did not hold; nothing changed. */
    PRECONDITION_FAILED,
    /** The store knows the credentials, and does not allow them to do this; nothing changed. */
    ACCESS_DENIED,
    /**
     * The credentials are absent, wrong or expired; nothing changed. It says nothing of rights, and
     * may be over in a moment.
     */
    NO_CREDENTIALS,
    /** The store takes this client's clock, which the SDK then sets, for wrong; nothing changed. */
    EXPIRED,
    /** The store refused the request for another reason, and would again; nothing changed. */
    REJECTED,
    /** The store asks for fewer requests, and would take this one later; nothing changed. */
    THROTTLED,
    /** No answer, or one that does not say whether the request took effect. */
    AMBIGUOUS
  }

  private final Kind kind;
  private final boolean lasting;

  public StoreException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, false);
  }

  private StoreException(Kind kind, String message, Throwable cause, boolean lasting) {
    super(message, cause);
    this.kind = kind;
    this.lasting = lasting;
  }

  /** {@link Kind#AMBIGUOUS}, for a reason on this machine that repeating does not end. */
  public static StoreException lasting(String message, Throwable cause) {
    return new StoreException(Kind.AMBIGUOUS, message, cause, true);
  }

  public StoreException(Kind kind, String message) {
    this(kind, message, null);
  }

  /** Sends a request; gives something else where it fails in one way. */
  public static <T> T orElse(Kind kind, T other, CallableRaisingIOE<T> request) throws IOException {
    try {
      return request.apply();
    } catch (StoreException e) {
      if (e.kind == kind) {
        return other;
      }
      throw e;
    }
  }

  public Kind kind() {
    return kind;
  }

  /** What the last copy of the request was answered, where several were sent; else the kind. */
  public Kind lastAnswer() {
    return kind == Kind.AMBIGUOUS && getCause() instanceof StoreException last
        ? last.lastAnswer()
        : kind;
  }

  /** Whether the same request, sent again, may have another outcome. */
  public boolean isPassing() {
    Kind answer = lastAnswer();
    return answer == Kind.THROTTLED
        || answer == Kind.EXPIRED
        || (answer == Kind.AMBIGUOUS && !lasting);
  }
}
