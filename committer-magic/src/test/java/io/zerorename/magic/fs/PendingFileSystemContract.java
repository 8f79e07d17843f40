package io.zerorename.magic.fs;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Binds Hadoop's contract tests to a session of its own for each test. */
final class PendingFileSystemContract extends AbstractFSContract {

  private File directory;
  private PendingSession session;

  PendingFileSystemContract(Configuration conf) {
    super(conf);
    addConfResource("contract/zerorename.xml");
  }

  @Override
  public void init() throws IOException {
    super.init();
    directory = Files.createTempDirectory("contract").toFile();
    session = new TestBucket(directory).open("contract");
    PendingFileSystem.register(getConf());
  }

  @Override
  public void teardown() throws IOException {
    super.teardown();
    session.close();
    FileUtil.fullyDelete(directory);
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return getTestPath().getFileSystem(getConf());
  }

  @Override
  public String getScheme() {
    return PendingFileSystem.SCHEME;
  }

  @Override
  public Path getTestPath() {
    return session.pathOf(TestBucket.path("test"));
  }
}
