package io.zerorename.report;

import java.util.Map;

/**
 * What requests to S3 cost, in US dollars per 1,000. Storage and transfer are not in it.
 *
 * @param date of the price list
 * @param writePerThousand of PUT, COPY, POST and LIST
 * @param readPerThousand of GET, SELECT and all others
 * @param deletePerThousand of DELETE and CANCEL, as which bulk deletes and aborts of uploads count
 */
public record S3Prices(
    String date,
    String region,
    double writePerThousand,
    double readPerThousand,
    double deletePerThousand) {
  /** Of S3 Standard. */
  public static final S3Prices LISTED = new S3Prices("2026-11-21", "us-east-1", 0.005, 0.0004, 0);

  /**
   * Dollars for requests.
   *
   * @param requests numbers by the name of their type in S3's API
   */
  public double dollars(Map<String, Long> requests) {
    return requests.entrySet().stream()
        .mapToDouble(type -> type.getValue() * perThousand(type.getKey()) / 1000)
        .sum();
  }

  /** Dollars for a number of requests, at most: as if each were of the dearest type. */
  double estimate(double requests) {
    return requests * writePerThousand / 1000;
  }

  private double perThousand(String type) {
    return switch (type) {
      case "CreateMultipartUpload",
          "UploadPart",
          "UploadPartCopy",
          "CompleteMultipartUpload",
          "PutObject",
          "CopyObject",
          "ListObjects",
          "ListObjectsV2",
          "ListMultipartUploads",
          "ListParts" ->
          writePerThousand;
      case "DeleteObject", "DeleteObjects", "AbortMultipartUpload" -> deletePerThousand;
      default -> readPerThousand;
    };
  }
}
