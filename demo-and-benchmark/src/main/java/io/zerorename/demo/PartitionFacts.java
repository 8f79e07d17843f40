package io.zerorename.demo;

/**
 * One partition: what the engine reads back from it, and what the metastore says about it.
 *
 * @param rows read back
 * @param checksum sum of the hashes of all rows
 * @param numFiles of the metastore, as are the others; -1 where it has none
 * @param rawDataSize in bytes, uncompressed, as the writer estimates it
 */
record PartitionFacts(
    long rows, long checksum, long numFiles, long numRows, long totalSize, long rawDataSize) {

  boolean sameRows(PartitionFacts other) {
    return rows == other.rows && checksum == other.checksum;
  }

  boolean sameStatistics(PartitionFacts other, boolean withSizes) {
    return numFiles == other.numFiles
        && numRows == other.numRows
        && (!withSizes || totalSize == other.totalSize)
        && rawDataSize == other.rawDataSize;
  }

  /** The statistics for a person. */
  String statistics() {
    return "numFiles "
        + numFiles
        + ", numRows "
        + numRows
        + ", totalSize "
        + totalSize
        + ", rawDataSize "
        + rawDataSize;
  }
}
