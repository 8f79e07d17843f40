package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkGlobalTime;

/** A store whose clock is an hour ahead of this machine's, and that refuses its signatures. */
@Timeout(120)
class WrongClockTest {
  private static final Duration AHEAD = Duration.ofHours(1);
  private static final DateTimeFormatter SIGNED =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final List<Boolean> taken = new CopyOnWriteArrayList<>();

  @AfterEach
  void forgetTheOffset() {
    SdkGlobalTime.setGlobalTimeOffset(0);
  }

  @Test
  void aRefusedRequestIsSentAgainByTheStoresClock() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> serve(server));
      thread.setDaemon(true);
      thread.start();
      try (TestStores stores =
          TestStores.with(
              Map.of(
                  "fs.s3a.endpoint", "http://127.0.0.1:" + server.getLocalPort(),
                  "fs.s3a.endpoint.region", "us-east-1",
                  "fs.s3a.path.style.access", "true",
                  "fs.s3a.connection.ssl.enabled", "false",
                  "fs.s3a.aws.credentials.provider",
                      "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
                  "fs.s3a.access.key", "key",
                  "fs.s3a.secret.key", "secret"),
              Map.of("zerorename.retry.time", "10"))) {
        stores.of("bucket").abortUpload("key", "id");
        stores.of("bucket").abortUpload("key", "id");
      }
    }
    assertThat(taken).containsExactly(false, true, true);
  }

  private void serve(ServerSocket server) {
    while (true) {
      try (Socket socket = server.accept()) {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
        Instant signed = Instant.EPOCH;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          if (line.toLowerCase(Locale.ROOT).startsWith("x-amz-date:")) {
            String value = line.substring(line.indexOf(':') + 1).strip();
            signed = ZonedDateTime.parse(value, SIGNED).toInstant();
          }
        }
        Instant now = Instant.now().plus(AHEAD);
        boolean ok = Duration.between(signed, now).abs().toMinutes() < 15;
        taken.add(ok);
        String body =
            ok ? "" : "<Error><Code>RequestTimeTooSkewed</Code><Message>planned</Message></Error>";
        String head =
            "HTTP/1.1 %s\r\nDate: %s\r\nContent-Length: %s\r\nConnection: close\r\n\r\n"
                .formatted(
                    ok ? "204 No Content" : "403 Forbidden",
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atZone(ZoneOffset.UTC)),
                    body.length());
        socket.getOutputStream().write((head + body).getBytes(US_ASCII));
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }
}
