package io.zerorename.testing.s3server;

import java.util.EnumMap;
import java.util.Map;

/**
 * How many requests a whole job sends that adds files to a directory without old ones, on a day on
 * which it is not the first there.
 */
public enum JobRequests {
  /**
   * With records on the cluster file system. It lists the destination at the beginning and before
   * the decision, and the log; it puts the entry, the marker of its end, and {@code _SUCCESS}.
   */
  MAPREDUCE(0, 3, 3),
  /** The same below Spark, which looks twice whether the destination exists. */
  MAPREDUCE_BELOW_SPARK(2, 2 + 3, 3),
  /** It lists the log, and puts one object more: that the log can be kept. */
  SPARK(0, 1, 4);

  private final long heads;
  private final long listings;
  private final long puts;

  JobRequests(long heads, long listings, long puts) {
    this.heads = heads;
    this.listings = listings;
    this.puts = puts;
  }

  /** With files of one part: their uploads are listed before the decision. */
  public Map<RequestType, Long> andFiles(long files) {
    Map<RequestType, Long> requests = new EnumMap<>(ofFiles(files));
    requests.put(RequestType.HEAD_OBJECT, heads);
    requests.put(RequestType.LIST_OBJECTS_V2, listings);
    requests.put(RequestType.PUT_OBJECT, puts);
    requests.put(RequestType.LIST_MULTIPART_UPLOADS, 1L);
    return new RequestCounts(requests, 0, 0, 0).byType();
  }

  /** Those of the files alone. */
  public static Map<RequestType, Long> ofFiles(long files) {
    return Map.of(
        RequestType.CREATE_MULTIPART_UPLOAD,
        files,
        RequestType.UPLOAD_PART,
        files,
        RequestType.COMPLETE_MULTIPART_UPLOAD,
        files);
  }
}
