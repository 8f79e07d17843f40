package io.zerorename.hive.matrix;

import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One statement that has run.
 *
 * @param failure what it ended with
 * @param outcomes what the committer said, nothing where it said nothing
 * @param newFiles keys
 * @param changedSettings of the session
 */
record Step(
    String statement,
    Optional<String> failure,
    List<String> outcomes,
    RequestCounts counts,
    List<S3Request> requests,
    Set<String> newFiles,
    Set<String> changedSettings,
    Facts facts) {
  /** Whether all that it wrote was committed by us. */
  boolean committed() {
    return outcomes.equals(List.of(Outcome.COMMITTED));
  }

  List<RequestType> requestsFor(String key) {
    return requests.stream()
        .filter(request -> request.key().equals(key))
        .map(S3Request::type)
        .toList();
  }
}
