package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/** Whether the credentials may do one thing, found out by doing it. */
final class PermissionCheck {
  /** A request, or a few that need the same permission. */
  @FunctionalInterface
  interface Trial {
    /**
     * @throws StoreException where the store refuses
     */
    void run(TrialBucket bucket, ObjectStore store, Path place) throws IOException;
  }

  /** What a trial does to the bucket. */
  enum Effect {
    /** None. */
    READS,
    /** None, as what it is to remove does not exist. */
    REMOVES_NOTHING,
    /** Something that must be removed again. */
    WRITES
  }

  /** On what an IAM policy grants an action. */
  enum Resource {
    BUCKET,
    OBJECTS;

    String of(Path place) {
      String bucket = "arn:aws:s3:::" + place.toUri().getAuthority();
      return this == BUCKET ? bucket : bucket + "/" + ObjectKeys.prefixOf(place) + "*";
    }
  }

  private final TrialBucket bucket;
  private final String action;
  private final Resource resource;
  private final Outcome ifDenied;
  private final String without;
  private final Effect effect;
  private final Trial trial;

  /**
   * @param action as IAM names it
   * @param without what does not work then, in words that follow "without it"
   */
  PermissionCheck(
      TrialBucket bucket,
      String action,
      Resource resource,
      Outcome ifDenied,
      String without,
      Effect effect,
      Trial trial) {
    this.bucket = requireNonNull(bucket, "bucket");
    this.action = requireNonNull(action, "action");
    this.resource = requireNonNull(resource, "resource");
    this.ifDenied = requireNonNull(ifDenied, "ifDenied");
    this.without = requireNonNull(without, "without");
    this.effect = requireNonNull(effect, "effect");
    this.trial = requireNonNull(trial, "trial");
  }

  /** Tries it, at each place once. */
  Finding find(Path... places) {
    if (bucket.unreachable().isPresent()) {
      return Finding.notChecked(bucket.unreachable().get());
    }
    if (effect == Effect.REMOVES_NOTHING && bucket.isReadOnly()) {
      return Finding.notChecked(bucket.reasonAgainstWriting().orElseThrow());
    }
    if (effect == Effect.WRITES && bucket.reasonAgainstWriting().isPresent()) {
      return Finding.notChecked(bucket.reasonAgainstWriting().get());
    }
    List<Remedy> grants = new ArrayList<>();
    List<String> unseen = new ArrayList<>();
    for (Path place : Stream.of(places).distinct().toList()) {
      try {
        trial.run(bucket, bucket.store(place), place);
      } catch (IOException e) {
        note(e, place, grants, unseen);
      }
    }
    if (!grants.isEmpty()) {
      if (effect == Effect.REMOVES_NOTHING) {
        bucket.refuseWrites("what it writes could not be removed without " + action);
      }
      return new Finding(ifDenied, "denied; without it " + without, grants);
    }
    return unseen.isEmpty() ? Finding.ok("allowed") : Finding.notChecked(String.join("; ", unseen));
  }

  private void note(IOException failure, Path place, List<Remedy> grants, List<String> unseen) {
    if (failure instanceof StoreException store
        && store.kind() == StoreException.Kind.ACCESS_DENIED) {
      Remedy grant = new Remedy.Grant(action, resource.of(place));
      if (!grants.contains(grant)) {
        grants.add(grant);
      }
    } else {
      unseen.add(String.valueOf(failure.getMessage()));
    }
  }
}
