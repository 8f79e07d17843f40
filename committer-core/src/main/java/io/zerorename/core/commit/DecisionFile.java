package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A decision in a file on the cluster file system.
 *
 * <p>It is written under a name of its own and renamed into place, which makes it complete whenever
 * it is visible. HDFS refuses to rename onto an existing file, so the first wins.
 */
final class DecisionFile implements DecisionLog {
  private final FileSystem fileSystem;
  private final Path file;

  DecisionFile(FileSystem fileSystem, Path file) {
    this.fileSystem = requireNonNull(fileSystem, "fileSystem");
    this.file = requireNonNull(file, "file");
  }

  @Override
  public Decision decide(Decision proposal) throws IOException {
    Optional<Decision> standing = read();
    if (standing.isPresent()) {
      return standing.get();
    }
    Path draft = new Path(file.getParent(), file.getName() + "." + UUID.randomUUID());
    try {
      DecisionJson.write(fileSystem, draft, proposal);
      // A local file system would rename onto an existing file; the look-up before narrows that to
      // two processes of one machine at the same instant, where a cluster has HDFS.
      if (!fileSystem.exists(file) && fileSystem.rename(draft, file)) {
        return proposal;
      }
    } catch (IOException e) {
      deleteDraft(draft, e);
      throw e;
    }
    fileSystem.delete(draft, false);
    return read()
        .orElseThrow(
            () ->
                new IOException(
                    "Cannot write the decision "
                        + file
                        + ": the file system refused to rename "
                        + draft
                        + ". Check that zerorename.work.dir is writable."));
  }

  private void deleteDraft(Path draft, IOException failure) {
    try {
      fileSystem.delete(draft, false);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public Optional<Decision> read() throws IOException {
    return fileSystem.exists(file)
        ? Optional.of(DecisionJson.read(fileSystem, file))
        : Optional.empty();
  }

  @Override
  public String location() {
    return file.toString();
  }
}
