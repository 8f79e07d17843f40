package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitStateUnknownException;
import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The samples of docs/runbook.md are what the commands print about commits that are really broken.
 * docs/commands.md has some of them, and those of commands that show a complete commit. {@code
 * -Drunbook.update} writes them.
 */
class RunbookTest extends OnTable {
  private static final Path FILE = SourceTree.root().resolve("docs/runbook.md");
  private static final Path COMMANDS = SourceTree.root().resolve("docs/commands.md");

  /** The samples that only the page of the commands has. */
  private static final Set<String> OF_COMMANDS = Set.of("verify");

  private static final Pattern SAMPLE =
      Pattern.compile("<!-- sample: ([a-z-]+) -->\n\n```text\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final Map<String, String> samples = new LinkedHashMap<>();
  @TempDir private Path out;

  @Test
  void theSamplesAreWhatTheCommandsPrint() throws IOException {
    stop();
    failedQuery();
    lostFiles();
    lostFilesOfAnOverwrite();
    uploads();
    completeOutput();
    start();
    Set<String> ofRunbook = new TreeSet<>(samples.keySet());
    ofRunbook.removeAll(OF_COMMANDS);
    assertThat(names(FILE)).containsExactlyInAnyOrderElementsOf(ofRunbook);
    assertThat(names(COMMANDS)).containsAll(OF_COMMANDS).isSubsetOf(samples.keySet());
    for (Path page : List.of(FILE, COMMANDS)) {
      if (System.getProperty("runbook.update") != null) {
        Files.writeString(page, withSamples(SourceTree.read(page)));
      }
      Map<String, String> shown = new LinkedHashMap<>();
      SAMPLE
          .matcher(SourceTree.read(page))
          .results()
          .forEach(it -> shown.put(it.group(1), comparable(it.group(2).strip())));
      Map<String, String> printed = new LinkedHashMap<>();
      names(page).forEach(name -> printed.put(name, comparable(samples.get(name))));
      assertThat(shown).as("-Drunbook.update writes them").isEqualTo(printed);
    }
  }

  private static List<String> names(Path page) {
    return SourceTree.find("<!-- sample: ([a-z-]+) -->", SourceTree.read(page));
  }

  private void failedQuery() throws IOException {
    start();
    WrittenJob job = new WrittenJob(bucket, "part-0", "part-1");

    bucket.faults(
        FaultRule.always(
            request ->
                request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
                    && request.key().equals(job.key("part-1")),
            Fault.accessDenied()));
    assertThatThrownBy(job::attempt)
        .isInstanceOfSatisfying(
            CommitStateUnknownException.class, e -> add("failed", e.getMessage()));
    bucket.refuseNothing();
    add("status", ExitCode.FOUND, bucket.run("status", table));
    add("dry-run", ExitCode.FOUND, bucket.run("recover", "--dry-run", table));
    add("recover", ExitCode.OK, bucket.run("recover", table));
    add("nothing-open", ExitCode.OK, bucket.run("status", table));

    stop();
  }

  private void lostFiles() throws IOException {
    start();
    new WrittenJob(bucket, "part-0", "part-1").commitLosing("part-1");

    add("lost", ExitCode.FOUND, bucket.run("status", table));

    stop();
  }

  private void lostFilesOfAnOverwrite() throws IOException {
    start();
    new WrittenJob(bucket, "part-0").commit();
    new WrittenJob(bucket, "part-0", "part-1").replacing().commitLosing("part-1");

    // The command itself would wait for five minutes.
    add("lost-of-overwrite", ExitCode.FOUND, new ImpatientRecovery(bucket).run());
    add("give-up", ExitCode.OK, new ImpatientRecovery(bucket).giveUp());

    stop();
  }

  private void uploads() throws IOException {
    start();
    WrittenJob job = new WrittenJob(bucket, "part-0").abort();

    bucket.beginUpload(job.key("part-7"));
    add("uploads", ExitCode.OK, bucket.run("uploads", "--sizes", table));
    add("abort", ExitCode.OK, bucket.run("uploads", "--abort", table));

    stop();
  }

  private void completeOutput() throws IOException {
    start();
    String output = bucket.path("output").toString();
    CommittedOutput.write(bucket.conf(), bucket.path("output"), "one", "three");
    add("verify", ExitCode.OK, bucket.run("verify", output));
    stop();
  }

  private void add(String name, ExitCode code, CommandLineRun run) {
    assertThat(run.exitCode()).as(name + ": " + run.out() + run.err()).isEqualTo(code.number());
    assertThat(run.err()).as(name).isEmpty();
    add(name, run.out().strip());
  }

  /** Without what is of this machine. */
  private void add(String name, String text) {
    Map<String, String> ids = new LinkedHashMap<>();
    String sample =
        text.replace(bucket.contents().bucket(), "bucket").replace(out.toString(), "/tmp");
    Matcher id = ID.matcher(sample);
    sample =
        id.replaceAll(
            it ->
                ids.computeIfAbsent(
                    it.group(), none -> "5b1f0c7e-0000-4000-8000-00000000000" + ids.size()));
    samples.put(
        name,
        sample
            .replaceAll(
                "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z", "2026-11-25T12:00:00Z")
            .replaceAll("process \\d+ on \\S+", "process 4711 on host")
            .replaceAll("(?<=00Z) on \\S+", " on host")
            .replaceAll("(?<= )http://127\\.0\\.0\\.1:\\d+", "https://s3.example.org"));
  }

  /** Without ages, and the blanks that align columns with them. */
  private static String comparable(String text) {
    return text.replaceAll("\\b(\\d+ min )?\\d+ s\\b", "…").replaceAll("[ \\n]+", " ");
  }

  private String withSamples(String page) {
    return SAMPLE
        .matcher(page)
        .replaceAll(
            it ->
                Matcher.quoteReplacement(
                    "<!-- sample: %s -->\n\n```text\n%s\n```\n"
                        .formatted(it.group(1), samples.get(it.group(1)))));
  }
}
