package io.zerorename.core.commit;

import io.zerorename.core.commit.Calls.Call;
import io.zerorename.core.commit.Calls.Effect;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** The cluster file system as one simulated process sees it. */
public final class SimulatedFileSystem extends FileSystem {
  private static final Configuration CONF = new Configuration(false);
  private static final Path ROOT = new Path("/");

  private final URI uri;
  private final InMemoryFiles files;
  private final Calls calls;

  public SimulatedFileSystem(String cluster, InMemoryFiles files, Calls calls) {
    this.uri = URI.create("sim://" + cluster);
    this.files = files;
    this.calls = calls;
    setConf(CONF);
  }

  private <T> T change(String what, Path path, Effect<T> effect) throws IOException {
    return calls.make(new Call(what + " " + path, false, true), effect);
  }

  private <T> T look(String what, Path path, Effect<T> effect) throws IOException {
    return calls.make(new Call(what + " " + path, false, false), effect);
  }

  private Path qualified(Path path) {
    return path.makeQualified(uri, getWorkingDirectory());
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    Path file = qualified(path);
    change(
        "create",
        file,
        () -> {
          files.create(file, overwrite);
          return null;
        });
    ByteArrayOutputStream buffer =
        new ByteArrayOutputStream() {
          private boolean closed;

          @Override
          public void close() throws IOException {
            if (!closed) {
              closed = true;
              byte[] content = toByteArray();
              change(
                  "close",
                  file,
                  () -> {
                    files.write(file, content);
                    return null;
                  });
            }
          }
        };
    return new FSDataOutputStream(buffer, null);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    Path file = qualified(path);
    return new FSDataInputStream(new Content(look("open", file, () -> files.read(file))));
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    return change("rename to", target, () -> files.rename(qualified(source), qualified(target)));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return change("delete", path, () -> files.delete(qualified(path)));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return look("list", path, () -> files.list(qualified(path)));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return change("mkdirs", path, () -> files.mkdirs(qualified(path)));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return look("status", path, () -> files.status(qualified(path)));
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public Path getWorkingDirectory() {
    return ROOT;
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    throw new UnsupportedOperationException("nobody needs it");
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw new UnsupportedOperationException("nobody needs it");
  }

  private static final class Content extends FSInputStream {
    private final byte[] bytes;
    private ByteArrayInputStream in;

    Content(byte[] bytes) {
      this.bytes = bytes;
      this.in = new ByteArrayInputStream(bytes);
    }

    @Override
    public int read() {
      return in.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      return in.read(target, offset, length);
    }

    @Override
    public void seek(long position) {
      in = new ByteArrayInputStream(bytes);
      in.skip(position);
    }

    @Override
    public long getPos() {
      return (long) bytes.length - in.available();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }
  }
}
