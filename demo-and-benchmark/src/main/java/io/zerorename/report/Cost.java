package io.zerorename.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run on a real S3 costs, by list prices of requests.
 *
 * @param estimatedDollars before the run
 * @param requests that were sent, by the name of their type in S3's API
 */
public record Cost(double estimatedDollars, Map<String, Long> requests) {
  private static final S3Prices PRICES = S3Prices.LISTED;
  private static final String LIST = PRICES.date() + " of " + PRICES.region();

  /**
   * @param estimatedRequests before the run
   */
  public static Cost of(double estimatedRequests, Map<String, Long> requests) {
    return new Cost(PRICES.estimate(estimatedRequests), new TreeMap<>(requests));
  }

  /** Dollars for the requests. */
  @JsonProperty
  public double dollars() {
    return PRICES.dollars(requests);
  }

  /** In a sentence. */
  @JsonProperty
  public String text() {
    return String.format(
        Locale.ROOT,
        "%,d requests in all, $%.4f by the list prices of %s; the estimate was $%.4f. Storage,"
            + " transfer and the few requests of the program's own checks are not in it.",
        requests.values().stream().mapToLong(Long::longValue).sum(),
        dollars(),
        LIST,
        estimatedDollars);
  }

  @JsonProperty
  String pricesOf() {
    return PRICES.region() + " " + PRICES.date();
  }

  /**
   * Says what a run will cost, and asks whether to go on, unless the person has agreed already.
   *
   * @param requests that it will send, roughly
   */
  public static boolean isAgreedTo(Endpoint endpoint, double requests, Progress progress)
      throws IOException {
    progress.print(
        String.format(
            Locale.ROOT,
            "%s, region %s, bucket %s: some %,.0f requests, some $%.4f by the list prices of %s,"
                + " and storage for minutes.",
            endpoint.url(),
            endpoint.region(),
            endpoint.bucket(),
            requests,
            PRICES.estimate(requests),
            LIST));
    if (endpoint.agreed()) {
      return true;
    }
    progress.print("Go on? [y/N]");
    String answer = new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
    if (answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y")) {
      return true;
    }
    progress.print("Nothing was sent. Answer y, or add --yes, to go on.");
    return false;
  }
}
