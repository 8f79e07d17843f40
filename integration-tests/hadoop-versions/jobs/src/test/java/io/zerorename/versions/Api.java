package io.zerorename.versions;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counters;

/** MapReduce's two, which name their files differently. */
public enum Api {
  V1("part-", "part-"),
  V2("part-m-", "part-r-");

  /** Whether the build runs every test, and the quick ones in every case. */
  public static final boolean THOROUGH =
      System.getProperty("zerorename.tests.tier", "quick").equals("thorough");

  private final String mapFile;
  private final String reduceFile;

  Api(String mapFile, String reduceFile) {
    this.mapFile = mapFile;
    this.reduceFile = reduceFile;
  }

  /**
   * Those with which this tier shows what does not depend on them: a committer of either API calls
   * the same one below.
   */
  public static Stream<Api> ofTier() {
    return THOROUGH ? Stream.of(values()) : Stream.of(V2);
  }

  /** The keys of the files that a word count makes in an empty directory, sorted. */
  List<String> files(String directory, int reducers) {
    String prefix = directory + "/" + (reducers > 0 ? reduceFile : mapFile);
    return IntStream.range(0, reducers > 0 ? reducers : WordCount.MAPS)
        .mapToObj(i -> prefix + String.format("%05d", i))
        .toList();
  }

  Counters run(WordCount job, Configuration conf, Path output, int reducers) throws Exception {
    return this == V1 ? job.runV1(conf, output, reducers) : job.runV2(conf, output, reducers);
  }
}
