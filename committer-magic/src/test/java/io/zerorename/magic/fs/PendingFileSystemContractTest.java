package io.zerorename.magic.fs;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractGetEnclosingRoot;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

/**
 * Hadoop's own contract tests, as far as they apply. docs/design/pending-file-system.md names the
 * rest.
 */
@RunWith(Enclosed.class)
public class PendingFileSystemContractTest {

  public static class Create extends AbstractContractCreateTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class VectoredRead extends AbstractContractVectoredReadTest {
    public VectoredRead(String bufferType) {
      super(bufferType);
    }

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class Mkdir extends AbstractContractMkdirTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class Delete extends AbstractContractDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class BulkDelete extends AbstractContractBulkDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class GetFileStatus extends AbstractContractGetFileStatusTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class RootDirectory extends AbstractContractRootDirectoryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class ContentSummary extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class CopyFromLocal extends AbstractContractCopyFromLocalTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }

  public static class GetEnclosingRoot extends AbstractContractGetEnclosingRoot {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new PendingFileSystemContract(conf);
    }
  }
}
