package io.zerorename.core.s3a;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.fs.s3a.CredentialInitializationException;
import org.apache.hadoop.fs.s3a.audit.AuditFailureException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;

/**
 * Says of a failure of the SDK what it proves, in words that name the request, the object, the
 * store's reason and what to do.
 *
 * <p>Only an answer with a status of 3xx or 4xx, or one that says that the store does not know such
 * requests, or wants fewer of them, proves that a request had no effect. An error within an answer
 * of status 200, which S3 gives to a Complete that fails late, proves nothing.
 */
record S3AFailures(String bucket) {
  /** Answers of status 400 or 403 that are about the credentials, and not about their rights. */
  private static final Set<String> CREDENTIAL_CODES =
      Set.of(
          "ExpiredToken",
          "InvalidToken",
          "TokenRefreshRequired",
          "InvalidAccessKeyId",
          "SignatureDoesNotMatch");

  /** Answers to a signature that is too old, or too young. */
  private static final Set<String> CLOCK_CODES = Set.of("RequestTimeTooSkewed", "RequestExpired");

  /** Answers of status 4xx after which the state of the object is open. */
  private static final Set<Integer> UNDECIDED_STATUS = Set.of(408, 409, 429);

  private static final Set<String> REGION_CODES =
      Set.of(
          "PermanentRedirect",
          "TemporaryRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException");

  /** True where a cause of the failure is that S3A found no credentials. */
  static boolean isAboutCredentials(Throwable failure) {
    return any(
        failure,
        cause ->
            (cause instanceof CredentialInitializationException
                    && !(cause instanceof AuditFailureException))
                || String.valueOf(cause.getMessage()).startsWith("Unable to load credentials"));
  }

  /**
   * A {@link StoreException}, or where the thread was interrupted {@link InterruptedIOException}.
   */
  IOException translate(String request, String path, RuntimeException failure) {
    String what = request + " of " + path + " failed: ";
    if (isInterrupt(failure)) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException(
              what + "the thread was interrupted. The request may or may not have taken effect");
      interrupted.initCause(failure);
      return interrupted;
    }
    if (failure instanceof AwsServiceException answer) {
      Kind kind = kindOf(answer);
      return new StoreException(
          kind,
          "ZR-4116: %sthe store answers %s. %s"
              .formatted(what, reason(answer), advice(kind, answer, path)),
          answer);
    }
    if (any(failure, UncheckedIOException.class::isInstance)) {
      return StoreException.lasting(
          ("ZR-4105: %s%s. Look at the disk of this host: it may be full, or its temporary files"
                  + " removed by another program. Check the object before repeating")
              .formatted(what, reason(failure)),
          failure);
    }
    if (any(failure, AuditFailureException.class::isInstance)) {
      return new StoreException(
          Kind.REJECTED,
          ("ZR-4106: %sS3A's auditor refused it: %s. Look at"
                  + " fs.s3a.audit.reject.out.of.span.operations and"
                  + " fs.s3a.multipart.uploads.enabled")
              .formatted(what, failure.getMessage()),
          failure);
    }
    if (isAboutCredentials(failure)) {
      return new StoreException(
          Kind.NO_CREDENTIALS,
          "ZR-4107: %sthere are no credentials: %s. %s"
              .formatted(what, reason(failure), credentialSettings()),
          failure);
    }
    return new StoreException(
        Kind.AMBIGUOUS,
        ("ZR-4108: %sthe store gave no answer: %s. It is not known whether the request took effect."
                + " Check that the store can be reached from this host with fs.s3a.endpoint,"
                + " fs.s3a.connection.ssl.enabled and fs.s3a.proxy.host as they are; for a slow"
                + " store raise fs.s3a.connection.timeout and fs.s3a.connection.request.timeout")
            .formatted(what, reason(failure)),
        failure);
  }

  private static Kind kindOf(AwsServiceException answer) {
    int status = answer.statusCode();
    String code = codeOf(answer);
    // 500, and 503 without this code, also come from a store that failed in the midst of its work;
    // so does MinIO's SlowDownWrite.
    if (status >= 400 && answer.isThrottlingException()) {
      return Kind.THROTTLED;
    }
    if (status >= 400 && "NotImplemented".equals(code)) {
      return Kind.REJECTED;
    }
    if (status < 300 || status >= 500 || UNDECIDED_STATUS.contains(status)) {
      return Kind.AMBIGUOUS;
    }
    if (status == 400 && "RequestTimeout".equals(code)) {
      return Kind.AMBIGUOUS;
    }
    if (CLOCK_CODES.contains(code)) {
      return Kind.EXPIRED;
    }
    if (CREDENTIAL_CODES.contains(code)) {
      return Kind.NO_CREDENTIALS;
    }
    if (status == 401 || status == 403) {
      return Kind.ACCESS_DENIED;
    }
    if (status == 412) {
      return Kind.PRECONDITION_FAILED;
    }
    return switch (code) {
      case "NoSuchUpload" -> Kind.NO_SUCH_UPLOAD;
      case "NoSuchBucket" -> Kind.NO_SUCH_BUCKET;
      case "NoSuchKey" -> Kind.NOT_FOUND;
      // Other codes of this status are about something else, such as an unknown user of versitygw.
      default ->
          status == 404 && (code.isEmpty() || code.equals("NotFound"))
              ? Kind.NOT_FOUND
              : Kind.REJECTED;
    };
  }

  private String advice(Kind kind, AwsServiceException answer, String path) {
    return switch (kind) {
      case ACCESS_DENIED ->
          "AccessDenied".equals(codeOf(answer))
              ? "Grant these credentials the request on " + path + ". " + credentialSettings()
              : credentialSettings();
      case NO_CREDENTIALS -> credentialSettings();
      case EXPIRED -> "Set the clock of this host by NTP";
      case NO_SUCH_BUCKET ->
          ("Create the bucket %s, or check its name and, if it exists elsewhere, fs.s3a.endpoint"
                  + " and fs.s3a.endpoint.region")
              .formatted(bucket);
      case NO_SUCH_UPLOAD ->
          "The upload was completed or aborted before, or removed by a lifecycle rule of the"
              + " bucket or by fs.s3a.multipart.purge";
      case NOT_FOUND -> "Check whether the object was deleted meanwhile";
      case PRECONDITION_FAILED -> "An object of this name exists and was left alone; read it";
      case REJECTED ->
          REGION_CODES.contains(codeOf(answer)) || answer.statusCode() < 400
              ? "Set fs.s3a.endpoint.region and fs.s3a.endpoint to those of the bucket " + bucket
              : "Nothing was changed, and repeating it would not help: correct what the store"
                  + " complains about, or look at the fs.s3a settings of the bucket "
                  + bucket;
      case THROTTLED ->
          "Nothing was changed: it takes fewer requests per second to the bucket or to this prefix"
              + " of it than it gets. Send fewer in parallel, or raise "
              + CoreKeys.RETRY_TIME.name();
      case AMBIGUOUS ->
          "It is not known whether the request took effect: check the object before repeating."
              + " If the store is overloaded, send less in parallel or raise "
              + CoreKeys.RETRY_TIME.name();
    };
  }

  private String credentialSettings() {
    return ("Check fs.s3a.aws.credentials.provider, fs.s3a.access.key, fs.s3a.secret.key and"
            + " fs.s3a.session.token, also under fs.s3a.bucket.%s. (Hive removes secrets from the"
            + " configuration of its tasks: give those a credential provider or environment"
            + " variables)")
        .formatted(bucket);
  }

  private static String reason(AwsServiceException answer) {
    AwsErrorDetails details = answer.awsErrorDetails();
    String code = codeOf(answer);
    StringBuilder reason = new StringBuilder(code.isEmpty() ? "without a reason" : code);
    if (!code.isEmpty() && details.errorMessage() != null && !details.errorMessage().isBlank()) {
      reason.append(": ").append(withoutFullStop(details.errorMessage()));
    }
    reason.append(" (HTTP ").append(answer.statusCode());
    if (answer.requestId() != null) {
      reason.append(", request id ").append(answer.requestId());
    }
    return reason.append(')').toString();
  }

  /** The outermost message and, where it says something else, the innermost. */
  private static String reason(Throwable failure) {
    Throwable innermost = failure;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String outer = withoutFullStop(String.valueOf(failure.getMessage()));
    String inner = withoutFullStop(innermost.toString());
    boolean said =
        innermost.getMessage() == null
            ? outer.contains(innermost.getClass().getSimpleName())
            : outer.contains(withoutFullStop(innermost.getMessage()));
    return said ? outer : outer + " (" + inner + ")";
  }

  private static String withoutFullStop(String text) {
    String trimmed = text.strip();
    return trimmed.endsWith(".") ? trimmed.substring(0, trimmed.length() - 1) : trimmed;
  }

  private static String codeOf(AwsServiceException answer) {
    AwsErrorDetails details = answer.awsErrorDetails();
    return details == null || details.errorCode() == null ? "" : details.errorCode();
  }

  /**
   * The SDK ends its own time-outs by an interrupt, and a socket's time-out is a subclass of {@link
   * InterruptedIOException}: neither is an interrupt by the caller.
   */
  private static boolean isInterrupt(Throwable failure) {
    if (failure instanceof ApiCallTimeoutException
        || failure instanceof ApiCallAttemptTimeoutException) {
      return false;
    }
    return any(
        failure,
        cause ->
            cause instanceof AbortedException
                || cause instanceof InterruptedException
                || cause instanceof ClosedByInterruptException
                || cause.getClass() == InterruptedIOException.class);
  }

  private static boolean any(Throwable failure, Predicate<Throwable> condition) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).anyMatch(condition);
  }
}
