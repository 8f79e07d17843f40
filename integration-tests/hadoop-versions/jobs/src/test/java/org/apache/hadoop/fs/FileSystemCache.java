package org.apache.hadoop.fs;

/** Hadoop tells only its own tests how many file systems it has cached. */
public final class FileSystemCache {
  private FileSystemCache() {}

  /** How many file systems the JVM has cached. */
  public static int size() {
    return FileSystem.cacheSize();
  }
}
