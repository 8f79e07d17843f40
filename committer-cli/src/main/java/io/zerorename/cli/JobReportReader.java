package io.zerorename.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.cli.JobReportFile.WrittenObject;
import io.zerorename.cli.command.InputException;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.core.config.S3AFileSystems;
import java.io.CharConversionException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/** Reads a {@code _SUCCESS} or a report on any file system. */
record JobReportReader(Configuration conf) {
  private static final String SUCCESS = "_SUCCESS";
  private static final String FORMAT = "org.apache.hadoop.fs.s3a.commit.files.SuccessData/";

  /** A report of a million files has some 200 MB. */
  private static final long LARGEST = 512L << 20;

  /**
   * Reads a report.
   *
   * @param text a file, or a directory with a {@code _SUCCESS}
   * @throws InputException if there is none
   */
  JobReportFile read(String text) throws IOException {
    Path path = S3Paths.path(text);
    FileStatus file = find(path, text);
    if (file.getLen() == 0) {
      throw noReport(file.getPath(), "it is empty, as Hadoop's own committer writes it");
    }
    if (file.getLen() > LARGEST) {
      throw noReport(file.getPath(), "it is larger than any");
    }
    try (InputStream in = file.getPath().getFileSystem(conf).open(file.getPath())) {
      return parse(file.getPath(), new ObjectMapper().readTree(in));
    } catch (JsonProcessingException e) {
      throw noReport(file.getPath(), "it is not JSON: " + e.getOriginalMessage());
    } catch (CharConversionException e) {
      throw noReport(file.getPath(), "it is not JSON: " + e.getMessage());
    }
  }

  private FileStatus find(Path path, String text) throws IOException {
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

  private JobReportFile parse(Path source, JsonNode root) throws IOException {
    if (!root.path("name").asText().startsWith(FORMAT)) {
      throw noReport(source, "its name is '" + root.path("name").asText() + "'");
    }
    boolean success = root.path("success").asBoolean();
    List<String> files = new ArrayList<>();
    root.path("filenames").forEach(file -> files.add(file.asText()));
    return new JobReportFile(
        source,
        // S3A's have one id only.
        root.path("zerorenameJobId").asText(root.path("jobId").asText("unknown")),
        success,
        root.path("state").asText(success ? "committed" : "failed"),
        root.path("diagnostics").has("recovered"),
        number(root.path("metrics"), "files"),
        files.size(),
        objects(source, root, files));
  }

  private List<WrittenObject> objects(Path source, JsonNode root, List<String> files)
      throws IOException {
    List<WrittenObject> objects = new ArrayList<>();
    for (JsonNode object : root.path("objects")) {
      objects.add(
          new WrittenObject(
              S3Paths.path(object.path("path").asText()),
              number(object, "size"),
              text(object, "identity"),
              text(object, "etag")));
    }
    if (objects.isEmpty() && S3AFileSystems.holds(source, conf)) {
      // S3A's reports name keys alone, in the bucket of the report.
      for (String file : files) {
        objects.add(
            new WrittenObject(
                new Path(source, file), OptionalLong.empty(), Optional.empty(), Optional.empty()));
      }
    }
    return objects;
  }

  private static OptionalLong number(JsonNode object, String field) {
    return object.path(field).isIntegralNumber()
        ? OptionalLong.of(object.path(field).asLong())
        : OptionalLong.empty();
  }

  private static Optional<String> text(JsonNode object, String field) {
    return object.path(field).isTextual()
        ? Optional.of(object.path(field).asText())
        : Optional.empty();
  }
}
