package io.zerorename.testing.localfs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFs;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FsConstants;

/** {@link UnforkedLocalFileSystem} for the half of Hadoop that uses {@code FileContext}. */
public final class UnforkedLocalFs extends ChecksumFs {
  /** What a process must have on its class path that does not have all of the tests' classes. */
  public static final List<Class<?>> CLASSES =
      List.of(
          LocalDiskOfHive.class,
          UnforkedLocalFileSystem.class,
          RawUnforkedLocalFileSystem.class,
          UnforkedLocalFs.class,
          Raw.class);

  /** For Hadoop. */
  public UnforkedLocalFs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(new Raw(conf));
  }

  private static final class Raw extends DelegateToFileSystem {
    private static final int NO_PORT = -1;

    Raw(Configuration conf) throws IOException, URISyntaxException {
      super(
          FsConstants.LOCAL_FS_URI,
          new RawUnforkedLocalFileSystem(),
          conf,
          FsConstants.LOCAL_FS_URI.getScheme(),
          false);
    }

    @Override
    public int getUriDefaultPort() {
      return NO_PORT;
    }

    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }
}
