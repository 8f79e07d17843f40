package io.zerorename.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;

/**
 * What requests to S3 cost, by the table of s3-prices.properties.
 *
 * @param date of the table
 * @param write dollars per 1,000 of PUT, COPY, POST and LIST
 * @param read dollars per 1,000 of GET and all others
 * @param delete dollars per 1,000 of DELETE and CANCEL
 */
public record S3Prices(
    String date,
    String region,
    @JsonProperty("writePerThousand") double write,
    @JsonProperty("readPerThousand") double read,
    @JsonProperty("deletePerThousand") double delete) {
  private static final String TABLE = "s3-prices.properties";

  /** The table that comes with the programs. */
  public static S3Prices load() throws IOException {
    Properties table = new Properties();
    try (InputStream in = S3Prices.class.getResourceAsStream(TABLE)) {
      if (in == null) {
        throw new IOException(TABLE + " is not on the class path; build the project again");
      }
      table.load(in);
    }
    return new S3Prices(
        table.getProperty("date"),
        table.getProperty("region"),
        Double.parseDouble(table.getProperty("write")),
        Double.parseDouble(table.getProperty("read")),
        Double.parseDouble(table.getProperty("delete")));
  }

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
  public double estimate(double requests) {
    return requests * write / 1000;
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
          write;
      case "DeleteObject", "DeleteObjects", "AbortMultipartUpload" -> delete;
      default -> read;
    };
  }
}
