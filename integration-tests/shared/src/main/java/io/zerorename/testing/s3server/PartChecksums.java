package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.http.Header;
import org.apache.http.message.BasicHeader;

/**
 * What S3 asks of multipart uploads whose parts have checksums, and S3Proxy does not: each part has
 * the algorithm that Create has named, and Complete names each part's checksum.
 */
final class PartChecksums {
  /** How much of the end of a body holds its trailing headers. */
  static final int TRAILER_BYTES = 512;

  private static final String HEADER = "x-amz-checksum-";
  private static final String NAMED_AT_CREATE = HEADER + "algorithm";
  private static final Pattern TRAILER = Pattern.compile(HEADER + "(\\w+):([^\\r\\n]+)");
  private static final Pattern UPLOAD_ID = Pattern.compile("<UploadId>([^<]+)</UploadId>");
  private static final Pattern PART = Pattern.compile("<Part>(.*?)</Part>", Pattern.DOTALL);
  private static final Pattern NUMBER = Pattern.compile("<PartNumber>(\\d+)</PartNumber>");
  private static final Pattern CHECKSUM = Pattern.compile("<Checksum(\\w+)>([^<]+)<");

  /** By upload, where it has one. */
  private final Map<String, String> algorithms = new ConcurrentHashMap<>();

  /** By upload and part, such as {@code crc32:AAAAAA==}. */
  private final Map<String, String> checksums = new ConcurrentHashMap<>();

  /**
   * Notes the algorithm of an upload.
   *
   * @param answer to its Create
   */
  void created(S3Request create, byte[] answer) {
    Matcher id = UPLOAD_ID.matcher(new String(answer, UTF_8));
    if (create.headers().containsKey(NAMED_AT_CREATE) && id.find()) {
      algorithms.put(id.group(1), create.headers().get(NAMED_AT_CREATE).toLowerCase(Locale.ROOT));
    }
  }

  /** How S3 refuses a part of another algorithm than its upload's. */
  Optional<Fault.Refuse> refusalOfPart(S3Request request) {
    String expected = algorithms.get(request.uploadId().orElse(""));
    String actual =
        Stream.concat(
                request.headers().keySet().stream(),
                Stream.ofNullable(request.headers().get("x-amz-trailer")))
            .filter(name -> name.startsWith(HEADER))
            .map(name -> name.substring(HEADER.length()))
            .findFirst()
            .orElse(null);
    return expected == null || expected.equals(actual)
        ? Optional.empty()
        : refusal(
            "InvalidRequest",
            "Checksum Type mismatch occurred, expected checksum Type: %s, actual: %s"
                .formatted(expected, actual));
  }

  /**
   * Notes a part's checksum.
   *
   * @param bodyEnd of its request
   * @return the header by which S3 answers
   */
  Optional<Header> uploaded(S3Request request, byte[] bodyEnd) {
    Optional<String> inHead =
        request.headers().keySet().stream().filter(name -> name.startsWith(HEADER)).findFirst();
    Matcher trailer = TRAILER.matcher(new String(bodyEnd, UTF_8));
    Optional<String> checksum =
        inHead.isPresent()
            ? inHead.map(
                name -> name.substring(HEADER.length()) + ":" + request.headers().get(name))
            : Optional.of(trailer)
                .filter(it -> request.headers().containsKey("x-amz-trailer") && it.find())
                .map(it -> it.group(1) + ":" + it.group(2).strip());
    checksum.ifPresent(
        it -> checksums.put(part(request, Integer.toString(request.partNumber().getAsInt())), it));
    return checksum.map(it -> it.split(":", 2)).map(it -> new BasicHeader(HEADER + it[0], it[1]));
  }

  /** How S3 refuses a Complete that does not name the checksums of its parts. */
  Optional<Fault.Refuse> refusalOfComplete(S3Request request, byte[] body) {
    Matcher parts = PART.matcher(new String(body, UTF_8));
    while (parts.find()) {
      Matcher number = NUMBER.matcher(parts.group(1));
      String wanted = number.find() ? checksums.get(part(request, number.group(1))) : null;
      Matcher named = CHECKSUM.matcher(parts.group(1));
      String found =
          named.find() ? named.group(1).toLowerCase(Locale.ROOT) + ":" + named.group(2) : null;
      if (wanted != null && found == null && algorithms.containsKey(request.uploadId().get())) {
        return refusal(
            "InvalidRequest",
            "The upload was created using a checksum. The complete request must include the"
                + " checksum for each part. It was missing for part "
                + number.group(1));
      }
      if (wanted != null && !wanted.equals(found)) {
        return refusal("InvalidPart", "One or more of the specified parts could not be found");
      }
    }
    return Optional.empty();
  }

  private static String part(S3Request request, String number) {
    return request.uploadId().orElseThrow() + " " + number;
  }

  private static Optional<Fault.Refuse> refusal(String code, String message) {
    return Optional.of(new Fault.Refuse(400, code, message));
  }
}
