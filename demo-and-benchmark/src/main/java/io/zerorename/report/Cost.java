package io.zerorename.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonIgnore;
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
 * @param estimated dollars, before the run
 * @param requests that were sent, by the name of their type in S3's API
 */
public record Cost(
    @JsonIgnore S3Prices prices,
    @JsonProperty("estimatedDollars") double estimated,
    Map<String, Long> requests) {
  public Cost {
    requests = new TreeMap<>(requests);
  }

  /** Dollars for the requests. */
  @JsonProperty
  public double dollars() {
    return prices.dollars(requests);
  }

  /** In a sentence. */
  @JsonProperty
  public String text() {
    return String.format(
        Locale.ROOT,
        "%,d requests in all, %s by the list prices of %s of %s; the estimate was %s. Storage,"
            + " transfer and the few requests of the program's own checks are not in it.",
        requests.values().stream().mapToLong(Long::longValue).sum(),
        text(dollars()),
        prices.region(),
        prices.date(),
        text(estimated));
  }

  @JsonProperty
  String pricesOf() {
    return prices.region() + " " + prices.date();
  }

  private static String text(double dollars) {
    return String.format(Locale.ROOT, "$%.4f", dollars);
  }

  /**
   * Says what a run will cost, and asks whether to go on, unless the person has agreed already.
   *
   * @param requests that it will send, roughly
   */
  public static boolean isAgreedTo(
      Endpoint endpoint, S3Prices prices, double requests, Progress progress) throws IOException {
    progress.print(
        String.format(
            Locale.ROOT,
            "%s, region %s, bucket %s: some %,.0f requests, some %s by the list prices of %s of"
                + " %s, and storage for minutes.",
            endpoint.url(),
            endpoint.region(),
            endpoint.bucket(),
            requests,
            text(prices.estimate(requests)),
            prices.region(),
            prices.date()));
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
