package io.zerorename.core.job;

import io.zerorename.core.manifest.PrivateFiles;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Who has begun to write files of a job: an empty file for each. So a job whose manifests are gone
 * is not taken for one that wrote nothing, and only where a writer has left nothing in the plan the
 * store is searched for what it may have left.
 */
record WriterNotes(FileSystem fileSystem, Path directory) {
  /**
   * Notes a writer; again does nothing. In Hive each writer of a task attempt does so, and those of
   * two branches of a UNION ALL may have one attempt's id in two processes.
   */
  void add(String writer) throws IOException {
    Path note = of(writer);
    if (fileSystem.exists(note)) {
      return;
    }
    try {
      // HDFS lets the first writer of a file fail when another overwrites it.
      PrivateFiles.create(fileSystem, note, false).close();
    } catch (IOException e) {
      if (!fileSystem.exists(note)) {
        throw e;
      }
    }
  }

  boolean contains(String writer) throws IOException {
    return fileSystem.exists(of(writer));
  }

  void remove(String writer) throws IOException {
    fileSystem.delete(of(writer), false);
  }

  void removeAll() throws IOException {
    fileSystem.delete(directory, true);
  }

  List<String> all() throws IOException {
    return WorkDirectory.list(fileSystem, directory).stream()
        .map(FileStatus::getPath)
        .map(note -> URLDecoder.decode(note.getName(), StandardCharsets.UTF_8))
        .toList();
  }

  /** Attempt ids come from engines; encoded, they are names, and different ones stay different. */
  private Path of(String writer) {
    return new Path(directory, URLEncoder.encode(writer, StandardCharsets.UTF_8));
  }
}
