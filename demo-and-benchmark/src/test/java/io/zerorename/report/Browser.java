package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Chromium without a window, and without a network, that opens a report. */
public final class Browser {
  /** Writes at each chart how many of its points are coloured. */
  private static final String PROBE =
      """
      <script>
      addEventListener("load", () => setTimeout(() => {
        for (const canvas of document.querySelectorAll("canvas")) {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          canvas.dataset.points = data.filter((value, i) => i % 4 === 3 && value).length;
        }
      }, 300));
      </script>
      </body>
      """;

  private Browser() {}

  /**
   * Opens a page; skips the test where there is no browser.
   *
   * @param directory for the browser's files
   * @return the page's elements but its scripts when all is loaded and drawn; a chart that is drawn
   *     has a number of {@code data-points} other than 0
   */
  public static String open(Path page, Path directory) throws IOException, InterruptedException {
    Optional<String> browser = find();
    assumeTrue(
        browser.isPresent(),
        "no chromium, chromium-browser or google-chrome on the PATH, and CHROME_BIN is not set");
    Path copy = directory.resolve("probed.html");
    Files.writeString(copy, Files.readString(page).replace("</body>\n", PROBE));
    Path dom = directory.resolve("dom");
    Path log = directory.resolve("browser.log");
    Process process =
        new ProcessBuilder(
                browser.get(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + directory.resolve("profile"),
                "--enable-logging=stderr",
                "--virtual-time-budget=10000",
                "--dump-dom",
                copy.toUri().toString())
            .redirectOutput(dom.toFile())
            .redirectError(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("the browser ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(log).content().as("messages of the page").doesNotContain("CONSOLE");
    return Files.readString(dom).replaceAll("(?s)<script.*?</script>", "");
  }

  private static Optional<String> find() {
    return Stream.concat(
            Stream.ofNullable(System.getenv("CHROME_BIN")),
            Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .flatMap(
                    directory ->
                        Stream.of("chromium", "chromium-browser", "google-chrome")
                            .map(name -> directory + File.separator + name)))
        .filter(file -> Files.isExecutable(Path.of(file)))
        .findFirst();
  }
}
