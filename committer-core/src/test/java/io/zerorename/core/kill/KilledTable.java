package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A table whose jobs were run by a process that was killed, beside what it should hold. */
final class KilledTable {
  private static final Logger LOG = LoggerFactory.getLogger(KilledTable.class);

  private static final List<RequestType> CHANGING =
      List.of(
          RequestType.CREATE_MULTIPART_UPLOAD,
          RequestType.UPLOAD_PART,
          RequestType.COMPLETE_MULTIPART_UPLOAD,
          RequestType.PUT_OBJECT,
          RequestType.DELETE_OBJECT,
          RequestType.DELETE_OBJECTS);

  private final EmbeddedS3Server server;
  private final BucketContents bucket;
  private final String prefix;
  private final Path location;
  private final Path workDir;
  private final TableJobs jobs;

  KilledTable(
      EmbeddedS3Server server,
      BucketContents bucket,
      ObjectStores stores,
      String name,
      java.nio.file.Path temporary)
      throws IOException {
    this.server = server;
    this.bucket = bucket;
    this.prefix = name + "/";
    this.location = new Path("s3a://" + bucket.bucket() + "/" + name);
    this.workDir = new Path(temporary.resolve("work-" + name).toUri());
    this.jobs = new TableJobs(stores, location, workDir);
  }

  Path location() {
    return location;
  }

  Path workDir() {
    return workDir;
  }

  /** What recovery made of the job that was under way. */
  enum Outcome {
    NOTHING,
    ALL
  }

  /**
   * Looks at the table as the killed process has left it, recovers, recovers again, runs a further
   * job, and looks each time.
   *
   * @param when the process was killed, for messages
   * @param output of the process
   */
  Outcome checkRecovery(String when, List<String> output) throws IOException {
    int number = CommittingProcess.times(CommittingProcess.BEGUN, output).size();
    ScriptedJob last = new ScriptedJob(number);
    SortedMap<String, String> before = new TreeMap<>();
    for (int earlier = 1; earlier < number; earlier++) {
      before = new ScriptedJob(earlier).applyTo(before);
    }
    SortedMap<String, String> after = last.applyTo(before);
    String in = "killed " + when + ", in or after " + last + ": ";
    checkBroken(in, last, before, after);

    assertThat(jobs.recover())
        .as(in + "what recovery found")
        .hasSizeLessThanOrEqualTo(1)
        .allSatisfy(
            found ->
                assertThat(found)
                    .isInstanceOf(Recovered.Completed.class)
                    .extracting(Recovered::jobId)
                    .isEqualTo(last.id()));
    SortedMap<String, String> recovered = contents();
    assertThat(recovered).as(in + "after recovery").isIn(before, after);
    if (CommittingProcess.times(CommittingProcess.COMMITTED, output).containsKey(last.id())) {
      assertThat(recovered).as(in + "said to be committed").isEqualTo(after);
    }
    assertThat(bucket.pendingUploads(prefix)).as(in + "pending").isEmpty();

    RequestCounts counts = server.gateway().counts();
    assertThat(jobs.recover()).as(in + "what a second recovery found").isEmpty();
    RequestCounts again = server.gateway().counts().minus(counts);
    assertThat(CHANGING).as(in + "second recovery").allMatch(type -> again.of(type) == 0);
    assertThat(contents()).as(in + "after a second recovery").isEqualTo(recovered);

    ScriptedJob next = new ScriptedJob(number + 1);
    jobs.run(next);
    assertThat(contents()).as(in + "after the next job").isEqualTo(next.applyTo(recovered));
    assertThat(bucket.pendingUploads(prefix)).as(in + "pending after the next job").isEmpty();
    Outcome outcome = recovered.equals(after) ? Outcome.ALL : Outcome.NOTHING;
    LOG.info("{}{}", in, outcome);
    return outcome;
  }

  /** Old files may be gone only where every new one is there, and nothing else ever is. */
  private void checkBroken(
      String in,
      ScriptedJob job,
      SortedMap<String, String> before,
      SortedMap<String, String> after) {
    SortedMap<String, String> broken = contents();
    boolean allNew =
        job.files().stream().allMatch(file -> file.content().equals(broken.get(file.name())));
    assertThat(broken)
        .as("%sbefore recovery, all new files visible: %s", in, allNew)
        .containsAllEntriesOf(allNew ? after : before);
    Set<String> known = new HashSet<>(before.keySet());
    known.addAll(after.keySet());
    assertThat(known).as(in + "before recovery").containsAll(broken.keySet());
  }

  /** Contents of the table's files by name. */
  private SortedMap<String, String> contents() {
    SortedMap<String, String> contents = new TreeMap<>();
    for (String key : bucket.files(prefix)) {
      contents.put(key.substring(prefix.length()), new String(bucket.read(key), UTF_8));
    }
    return contents;
  }
}
