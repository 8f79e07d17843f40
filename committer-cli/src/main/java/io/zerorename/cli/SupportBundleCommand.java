package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.core.config.Version;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.util.VersionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code zerorename support-bundle}: what another person needs to help, in one archive. */
@Command(
    name = "support-bundle",
    description =
        "Writes an archive for those who help: versions, settings without secrets, what doctor"
            + " --read-only prints, and for a path or a table what status prints and the headers of"
            + " open commits. It has no data, no names of data files, and changes nothing on S3.",
    footer = {
      "  zerorename support-bundle --out bundle.zip",
      "  zerorename support-bundle --out bundle.zip s3a://bucket/warehouse/db.db/table",
      "  zerorename support-bundle --conf-dir /etc/hive/conf --out bundle.zip db.table"
    })
final class SupportBundleCommand implements Subcommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "<path or name>",
      description = "What status takes: a path on S3A, db.table or a database.")
  private String what;

  @Option(
      names = "--out",
      paramLabel = "<file>",
      required = true,
      description = "The archive. A file that exists is not overwritten.")
  private String out;

  /** A file of the archive. */
  private record Part(String title, String text) {}

  @Override
  public ExitCode run(Session session) throws IOException {
    Path file = file();
    List<Target> targets = what == null ? List.of() : StatusScan.targets(what, session);
    ShareableSettings settings = new ShareableSettings(session.conf());
    Map<String, Part> parts = new LinkedHashMap<>();
    parts.put("version.txt", new Part("versions", versions()));
    parts.put(
        "configuration.txt",
        new Part(
            "settings of the committer, of S3A and of Hive, without secrets", settings.text()));
    parts.put(
        "doctor.txt", new Part("zerorename doctor --read-only", printed(session, doctor(targets))));
    if (what != null) {
      parts.put("status.txt", new Part("zerorename status", printed(session, "status", what)));
      parts.put(
          "commits.json",
          new Part(
              "headers of the entries that are open or damaged: no names of data files",
              commits(targets, session)));
    }
    StringBuilder contents = new StringBuilder();
    parts.forEach((name, part) -> contents.append("%-18s %s%n".formatted(name, part.title())));
    write(file, contents.toString(), parts, settings);
    ArrayNode names = session.output().json().put("file", file.toString()).putArray("contents");
    parts.keySet().forEach(names::add);
    session.output().line(file + " was written. It has");
    contents.toString().lines().forEach(line -> session.output().line("  " + line));
    session
        .output()
        .line(
            "Secrets, login details and all other settings were left out. Look through it before"
                + " you give it away: it names hosts, users, buckets and tables.");
    return ExitCode.OK;
  }

  private Path file() {
    try {
      Path file = Path.of(out).toAbsolutePath();
      if (Files.exists(file)) {
        throw new InputException("ZR-9121: --out " + out + " exists, and is not overwritten");
      }
      return file;
    } catch (InvalidPathException e) {
      throw new InputException(
          "ZR-9122: --out " + out + " cannot be written: " + e.getMessage(), e);
    }
  }

  private static void write(
      Path file, String contents, Map<String, Part> parts, ShareableSettings settings) {
    try (ZipOutputStream zip =
        new ZipOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW))) {
      add("README.txt", "zerorename support-bundle, " + Instant.now() + "\n\n" + contents, zip);
      for (Map.Entry<String, Part> part : parts.entrySet()) {
        add(part.getKey(), settings.clean(part.getValue().text()), zip);
      }
    } catch (FileAlreadyExistsException e) {
      throw new InputException("ZR-9121: --out " + file + " exists, and is not overwritten", e);
    } catch (IOException e) {
      throw new InputException("ZR-9122: --out " + file + " cannot be written: " + e, e);
    }
  }

  private static void add(String name, String text, ZipOutputStream zip) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(text.getBytes(UTF_8));
    zip.closeEntry();
  }

  private static String versions() {
    return String.join(
        "\n",
        "zero-rename committer " + Version.number(),
        "Hadoop " + VersionInfo.getVersion(),
        "Java " + System.getProperty("java.runtime.version"),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        "");
  }

  private static String[] doctor(List<Target> targets) {
    List<String> words = new ArrayList<>(List.of("doctor", "--read-only"));
    // No job commits to the root of a bucket.
    targets.stream()
        .map(Target::path)
        .filter(it -> !ObjectKeys.prefixOf(it).isEmpty())
        .findFirst()
        .ifPresent(it -> words.add(it.toString()));
    return words.toArray(String[]::new);
  }

  /** What a command prints, with the same settings. */
  private static String printed(Session session, String... command) {
    List<String> words = new ArrayList<>(Arrays.asList(command));
    session
        .confDirs()
        .forEach(directory -> words.addAll(List.of("--conf-dir", directory.toString())));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(printed, true, UTF_8);
    int code = new ZeroRename(session::conf, stream, stream).run(words.toArray(String[]::new));
    return printed.toString(UTF_8) + "\nexit code " + code + "\n";
  }

  private String commits(List<Target> targets, Session session) throws IOException {
    try (S3AObjectStores stores = new S3AObjectStores(session.conf())) {
      LogSearch logs = new LogSearch(stores, ClusterRecords.find(session.conf()), session.conf());
      return commits(new StatusScan(logs, session).read(what, targets), logs);
    }
  }

  /** What the entries of logs say, without the files of their plans. One request for each entry. */
  private static String commits(List<StatusScan.Destination> destinations, LogSearch logs)
      throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ArrayNode entries = mapper.createArrayNode();
    for (StatusScan.Destination status : destinations) {
      for (LoggedJob job : status.jobs()) {
        ObjectNode node =
            entries
                .addObject()
                .put("destination", status.destination().toString())
                .put("log", status.log().toString())
                .put("job", job.id())
                .put("state", job.state().text())
                .put("when", job.when().toString());
        job.totals()
            .ifPresent(
                totals ->
                    node.put("files", totals.files())
                        .put("bytes", totals.bytes())
                        .put("replaced", totals.replaced())
                        .put("lost", totals.lost().size()));
        job.problem().ifPresent(problem -> node.put("problem", problem));
        if (job.number().isPresent() && job.problem().isEmpty()) {
          read(status, job.number().getAsLong(), logs, node);
        }
      }
    }
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(entries) + "\n";
  }

  private static void read(
      StatusScan.Destination status, long number, LogSearch logs, ObjectNode node) {
    try {
      logs.at(status.log()).read(number).ifPresent(entry -> describe(entry, node));
    } catch (IOException e) {
      node.put("problem", ErrorText.of(e));
    }
  }

  private static void describe(LogEntry entry, ObjectNode node) {
    node.put("entry", entry.number())
        .put("kind", entry.kind().name())
        .put("description", entry.job().description())
        .put("executor", entry.executor().toString())
        .put("lowest", entry.lowest())
        .put("chunks", entry.chunks().size());
    add("scope", entry.scope(), node);
    add("replaces", entry.replaces(), node);
    add("follows", entry.follows(), node);
  }

  private static void add(String name, Collection<?> values, ObjectNode node) {
    ArrayNode array = node.putArray(name);
    values.forEach(value -> array.add(value.toString()));
  }
}
