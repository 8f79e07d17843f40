package io.zerorename.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.core.config.S3AFileSystems;
import java.io.CharConversionException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/**
 * The report of a job, or its {@code _SUCCESS}, on any file system: the committer's, or S3A's,
 * which has less.
 *
 * @param source the file
 */
record JobReportFile(Path source, Content content) {
  private static final String SUCCESS = "_SUCCESS";
  private static final String FORMAT = "org.apache.hadoop.fs.s3a.commit.files.SuccessData/";
  private static final ObjectMapper MAPPER =
      new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

  /** As it is written; what it does not say is null or empty. */
  record Content(
      String name,
      String jobId,
      String zerorenameJobId,
      boolean success,
      String state,
      List<String> filenames,
      Map<String, Long> metrics,
      Map<String, String> diagnostics,
      List<WrittenObject> objects) {
    Content {
      filenames = filenames == null ? List.of() : filenames;
      metrics = metrics == null ? Map.of() : metrics;
      diagnostics = diagnostics == null ? Map.of() : diagnostics;
      objects = objects == null ? List.of() : objects;
    }
  }

  /**
   * An object as its job has written it; what the report does not say is null.
   *
   * @param identity in its metadata
   */
  record WrittenObject(String path, Long size, String identity) {}

  /**
   * Reads a report.
   *
   * @param text a file, or a directory with a {@code _SUCCESS}
   * @throws InputException if there is none
   */
  static JobReportFile read(String text, Configuration conf) throws IOException {
    FileStatus file = find(S3Paths.path(text), text, conf);
    Path source = file.getPath();
    if (file.getLen() == 0) {
      throw noReport(source, "it is empty, as Hadoop's own committer writes it");
    }
    try (InputStream in = source.getFileSystem(conf).open(source)) {
      Content content = MAPPER.readValue(in, Content.class);
      if (content == null || !String.valueOf(content.name()).startsWith(FORMAT)) {
        throw noReport(source, content == null ? "null" : "its name is '" + content.name() + "'");
      }
      return new JobReportFile(source, content);
    } catch (JsonProcessingException e) {
      throw noReport(source, "it is not JSON: " + e.getOriginalMessage());
    } catch (CharConversionException e) {
      throw noReport(source, "it is not JSON: " + e.getMessage());
    }
  }

  private static FileStatus find(Path path, String text, Configuration conf) throws IOException {
    try {
      return file(path.getFileSystem(conf), path);
    } catch (FileNotFoundException e) {
      // A local file, on a cluster with another default file system.
      if (path.toUri().getScheme() == null && new File(text).exists()) {
        return file(FileSystem.getLocal(conf), path);
      }
      throw new InputException(
          "ZR-9501: There is no report at %s: %s; give a _SUCCESS or its directory"
              .formatted(text, e.getMessage()),
          e);
    } catch (UnsupportedFileSystemException e) {
      throw new InputException("ZR-9502: " + text + " is on a file system that is unknown here", e);
    }
  }

  private static FileStatus file(FileSystem fileSystem, Path path) throws IOException {
    FileStatus status = fileSystem.getFileStatus(path);
    return status.isDirectory() ? fileSystem.getFileStatus(new Path(path, SUCCESS)) : status;
  }

  private static InputException noReport(Path path, String reason) {
    return new InputException(
        ("ZR-9503: %s is no report of a job: %s; give a _SUCCESS of the zero-rename committer or of S3A's"
                + " committers")
            .formatted(path, reason));
  }

  /** S3A's have one id only. */
  String jobId() {
    return Objects.requireNonNullElse(
        content.zerorenameJobId(), Objects.requireNonNullElse(content.jobId(), "unknown"));
  }

  /** The destination where the report is its {@code _SUCCESS} on S3A. */
  Optional<Path> destination(Configuration conf) throws IOException {
    Path directory = source.getParent();
    return source.getName().equals(SUCCESS) && S3AFileSystems.holds(directory, conf)
        ? Optional.of(directory)
        : Optional.empty();
  }

  /** The objects that it names; none where it does not say in which bucket. */
  List<WrittenObject> objects(Configuration conf) throws IOException {
    if (!content.objects().isEmpty() || !S3AFileSystems.holds(source, conf)) {
      return content.objects();
    }
    // S3A's reports name keys alone, in the bucket of the report.
    return content.filenames().stream()
        .map(file -> new WrittenObject(new Path(source, file).toString(), null, null))
        .toList();
  }
}
