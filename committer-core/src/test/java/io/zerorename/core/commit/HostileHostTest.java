package io.zerorename.core.commit;

import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.zerorename.core.upload.Buffering;
import io.zerorename.core.upload.InlineSettings;
import io.zerorename.core.upload.MultipartUploads;
import io.zerorename.core.upload.SpillDirectories;
import io.zerorename.core.upload.UploadSettings;
import io.zerorename.core.upload.UploadStream;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A job through S3A on hosts whose disk is full, whose cluster file system takes no writes, or
 * whose credentials end in the middle: the error names object and cause, nothing is visible before
 * the decision, and what is left can be cleaned up once the cause is mended.
 */
class HostileHostTest {
  private static final long MORE_THAN_ANY_DISK = 1L << 60;
  private static EmbeddedS3Server server;
  private static BucketContents contents;

  @TempDir java.nio.file.Path directory;
  private ReadOnlyAtTimes fileSystem;
  private OverwritingJob job;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    contents = server.createBucket(TestJob.TABLE.toUri().getAuthority());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void newJob() throws IOException {
    fileSystem = new ReadOnlyAtTimes(FileSystem.getLocal(new Configuration(false)));
    job =
        new OverwritingJob(
            OverwritingJob.Opener.elsewhere(),
            contents,
            fileSystem,
            directory.resolve("work"),
            server.hadoopSettings());
  }

  @AfterEach
  void mend() throws IOException {
    server.gateway().faults(FaultRule.NONE);
    job.close();
  }

  @Test
  void aBufferDirectoryThatIsNoneAnyMoreFailsTheFileAndNamesItsSetting() throws IOException {
    java.nio.file.Path spill = Files.createDirectory(directory.resolve("spill"));
    try (MultipartUploads uploads = uploadsWithoutMemory(spill, 5 << 20)) {
      UploadStream written = uploads.open(job.job().path("day=1/0"));
      written.write(new byte[100]);
      written.close();
      assertThat(spill).isEmptyDirectory();

      Files.delete(spill);
      Files.createFile(spill);
      UploadStream failing = uploads.open(job.job().path("day=1/1"));
      assertThatThrownBy(() -> failing.write(new byte[100]))
          .hasMessageContaining("writing s3a://bucket/warehouse/t/day=1/1.job-1 failed")
          .hasMessageContaining("zerorename.upload.spill.dirs")
          .hasMessageContaining(spill.toString())
          .hasMessageContaining("Nothing of it is visible");
    }
    job.assertAllIsOld();
    job.abort();
  }

  @Test
  void aBufferDirectoryWithoutRoomForAPartFailsTheFileAndSaysHowMuchItNeeds() throws IOException {
    try (MultipartUploads uploads = uploadsWithoutMemory(directory, MORE_THAN_ANY_DISK)) {
      UploadStream failing = uploads.open(job.job().path("day=1/0"));
      assertThatThrownBy(() -> failing.write(new byte[100]))
          .hasMessageContaining("writing s3a://bucket/warehouse/t/day=1/0.job-1 failed")
          .hasMessageContaining(Long.toString(MORE_THAN_ANY_DISK))
          .hasMessageContaining("free space");
    }
    job.assertAllIsOld();
    job.abort();
  }

  @Test
  void tasksFailBeforeTheyBeginAnUploadWhereTheyCannotBeNoted() throws IOException {
    fileSystem.readOnly(true);
    assertThatThrownBy(job::runTasks)
        .hasMessageContaining("s3a://bucket/warehouse/t/day=1/0.job-1")
        .hasMessageContaining(ReadOnlyAtTimes.REASON);
    job.assertNothingIsPending();
    job.assertAllIsOld();
    fileSystem.readOnly(false);
    job.abort();
  }

  /** The log is in the bucket, and the manifests are read alone. */
  @Test
  void aJobCommitsWhereItsDirectoryCannotBeWrittenAnyMore() throws IOException {
    job.runTasks();
    fileSystem.readOnly(true);
    job.commit();
    fileSystem.readOnly(false);
    job.assertAllIsNew();
    job.assertNothingIsPending();
  }

  /** Each kind of request, and of a refusal in turn. */
  static Stream<Arguments> credentialsEndAtEveryKindOfRequest() {
    return ends(true);
  }

  static Stream<Arguments> otherEnds() {
    return ends(false);
  }

  private static Stream<Arguments> ends(boolean quick) {
    List<Fault> refusals =
        List.of(Fault.refuse(400, "ExpiredToken"), Fault.refuse(403, "InvalidAccessKeyId"));
    List<RequestType> types =
        List.of(
            RequestType.CREATE_MULTIPART_UPLOAD,
            RequestType.UPLOAD_PART,
            RequestType.LIST_OBJECTS_V2,
            RequestType.COMPLETE_MULTIPART_UPLOAD,
            RequestType.DELETE_OBJECTS);
    return IntStream.range(0, types.size())
        .mapToObj(
            number ->
                Arguments.of(
                    types.get(number), refusals.get((number + (quick ? 0 : 1)) % refusals.size())));
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("otherEnds")
  void soAreThoseThatAreRefusedInAnotherWay(RequestType type, Fault.Refuse refusal)
      throws IOException {
    credentialsThatEndInTheMiddleAreSaidTo(type, refusal);
  }

  @ParameterizedTest
  @MethodSource("credentialsEndAtEveryKindOfRequest")
  void credentialsThatEndInTheMiddleAreSaidTo(RequestType type, Fault.Refuse refusal)
      throws IOException {
    server.gateway().faults(fromFirst(type, refusal));
    boolean decided =
        type == RequestType.COMPLETE_MULTIPART_UPLOAD || type == RequestType.DELETE_OBJECTS;
    IOException failure =
        catchThrowableOfType(
            IOException.class,
            () -> {
              job.runTasks();
              job.commit();
            });
    assertThat(failure)
        .hasMessageContaining(refusal.code())
        .hasMessageContaining(type.apiName())
        .hasMessageContaining("s3a://bucket/warehouse/t/day=")
        .hasMessageContaining("fs.s3a.aws.credentials.provider");
    if (decided) {
      assertThat(failure).isInstanceOf(CommitStateUnknownException.class);
      job.assertOldIsThereUnlessAllIsNew();
    } else {
      job.assertAllIsOld();
      assertThatThrownBy(() -> job.job().abort()).hasMessageContaining(refusal.code());
    }

    server.gateway().faults(FaultRule.NONE);
    if (decided) {
      job.commit();
      job.assertAllIsNew();
      job.assertNothingIsPending();
    } else {
      job.assertAllIsOld();
      job.abort();
    }
  }

  /** From the first request of a type on, all requests are refused. */
  private static FaultRule fromFirst(RequestType type, Fault refusal) {
    FaultRule begins = FaultRule.fromNth(1, type(type), refusal);
    boolean[] begun = new boolean[1];
    return request -> {
      synchronized (begun) {
        begun[0] |= begins.on(request).isPresent();
        return begun[0]
            ? FaultRule.always(any -> true, refusal).on(request)
            : FaultRule.NONE.on(request);
      }
    };
  }

  private MultipartUploads uploadsWithoutMemory(java.nio.file.Path spill, long partSize) {
    Configuration configuration = new Configuration(false);
    configuration.set("zerorename.upload.spill.dirs", spill.toString());
    return new MultipartUploads(
        job.stores(),
        () -> job.job().directory().noteWriter("a"),
        job.job().id(),
        "a",
        new UploadSettings(
            partSize,
            1,
            1,
            new Buffering(0, 0, SpillDirectories.from(configuration)),
            0,
            InlineSettings.none()));
  }
}
