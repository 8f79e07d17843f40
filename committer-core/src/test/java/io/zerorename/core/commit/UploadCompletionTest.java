package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a file is waited for that the store may be completing. */
class UploadCompletionTest extends TimedCommits {
  private static final Duration LENGTH = Duration.ofMinutes(5);

  private final List<Duration> pauses = new ArrayList<>();
  private ObjectStore looked;

  @BeforeEach
  void asMinio() throws IOException {
    onAStoreThatCompletesOnce();
    looked = store;
    job.task("a", "day=1/0", "day=1/1");
  }

  private PendingUpload upload(int index) {
    return upload(job, index);
  }

  private Collection<PendingUpload> await(Duration length, PendingUpload... absent)
      throws IOException {
    return await(
        length,
        (time, why) -> {
          pauses.add(time);
          pass(time, why);
        },
        absent);
  }

  private Collection<PendingUpload> await(Duration length, Clock sleep, PendingUpload... absent)
      throws IOException {
    CommitSettings settings = Waits.in(sleep, job.settlingFor(length).settings());
    return new UploadCompletion(path -> looked, settings).await(List.of(absent), rest -> rest);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsAbsentToTheEndIsLost(boolean listsNoParts) throws IOException {
    vanish(job, 0);
    looked = listsNoParts ? new ListsNoParts(store) : store;
    assertThat(await(LENGTH, upload(0))).containsExactly(upload(0));
    assertThat(waited).isBetween(LENGTH.minusSeconds(2), LENGTH.plusSeconds(1));
    assertThat(pauses).allMatch(it -> it.compareTo(Duration.ofSeconds(10)) <= 0);
    assertThat(pauses.get(0)).isEqualTo(Duration.ofMillis(500));
    assertThat(pauses.get(1)).isEqualTo(Duration.ofSeconds(1));
  }

  private void appear() {
    try {
      store.putObject(
          upload(0).key(),
          RepeatableBody.of(new byte[7]),
          Map.of(OutputFile.IDENTITY_METADATA, upload(0).identity()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void itLooksOnceMoreAtTheEnd() throws IOException {
    vanish(job, 0);
    assertThat(
            await(
                LENGTH,
                (time, why) -> {
                  // The machine slept.
                  store.pass(LENGTH.multipliedBy(2));
                  appear();
                },
                upload(0)))
        .isEmpty();
  }

  /** The store fails to complete it, so that it is pending again; a look begins it once more. */
  @Test
  void aCompleteThatTheLastLookBeginsIsWaitedFor() throws IOException {
    assertThatItIsWaitedFor(Kind.AMBIGUOUS);
  }

  /** Another process takes the upload, right after the look has found it pending. */
  @Test
  void aCompleteThatAnotherBeginsBesideTheLastLookIsWaitedFor() throws IOException {
    assertThatItIsWaitedFor(Kind.NO_SUCH_UPLOAD);
  }

  /**
   * @param answer to the Complete of the last look
   */
  private void assertThatItIsWaitedFor(Kind answer) throws IOException {
    AtomicBoolean pending = new AtomicBoolean();
    ObjectStore late =
        new ForwardingStore(store) {
          @Override
          public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
            if (pending.get()) {
              return super.listParts(key, uploadId);
            }
            throw new StoreException(Kind.NO_SUCH_UPLOAD, "gone");
          }

          @Override
          public void completeUpload(String key, String uploadId, List<UploadedPart> parts)
              throws IOException {
            if (pending.getAndSet(false)) {
              throw new StoreException(answer, "planned");
            }
            throw new StoreException(Kind.NO_SUCH_UPLOAD, "gone");
          }
        };
    AtomicBoolean begun = new AtomicBoolean();
    Clock sleep =
        (time, why) -> {
          pass(time, why);
          if (waited.compareTo(LENGTH) >= 0 && !begun.getAndSet(true)) {
            pending.set(true);
          } else if (waited.compareTo(LENGTH.plusMinutes(1)) >= 0) {
            appear();
          }
        };
    assertThat(
            new UploadCompletion(path -> late, Waits.in(sleep, job.settlingFor(LENGTH).settings()))
                .await(List.of(upload(0)), rest -> rest))
        .isEmpty();
    assertThat(begun).isTrue();
  }

  /** Its upload is pending again when another program's file is in its place. */
  @Test
  void whatIsPendingBehindAnotherProgramsFileIsNotLost() {
    store.plant(upload(0).key(), new byte[1]);
    UploadCompletion completion =
        new UploadCompletion(store, Waits.in(this::pass, job.settlingFor(LENGTH).settings()))
            .ofPlainNames(upload -> false);
    assertThatThrownBy(() -> completion.await(List.of(upload(0)), rest -> rest))
        .hasMessageStartingWith("ZR-1104: ");
    assertThat(store.pendingKeys()).contains(upload(0).key());
  }

  @Test
  void aLookThatIsForbiddenIsNoProofThatAFileIsLost() throws IOException {
    vanish(job, 0);
    store.faults().failFrom(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> await(LENGTH, upload(0))).hasMessageContaining("ACCESS_DENIED");
  }

  /** It may hold a table whose log is elsewhere. */
  @Test
  void whereTheStoreDoesNotTakeTheConditionItIsAskedForFilesOfOthersFirst() throws IOException {
    ObjectStore refusing =
        new ForwardingStore(store) {
          @Override
          public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
              throws IOException {
            throw new StoreException(Kind.REJECTED, "NotImplemented");
          }
        };
    UploadCompletion completion =
        new UploadCompletion(path -> refusing, job.settings()).ofPlainNames(upload -> false);
    store.plant(upload(1).key(), new byte[1]);

    assertThat(completion.complete(upload(0))).isTrue();
    assertThat(completion.complete(upload(0))).as("again").isTrue();
    assertThat(completion.complete(upload(1))).isFalse();

    assertThat(store.content(upload(1).key())).hasSize(1);
    assertThat(store.pendingKeys()).containsExactly(upload(1).key());
  }
}
