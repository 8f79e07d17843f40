package io.zerorename.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Properties;

/**
 * What a run found out, in two files: report.json for scripts, and report.html to look at. The page
 * is report.json in a template that draws it; it needs no other file and no network.
 */
public final class Reports {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
          .registerModule(
              new SimpleModule().addSerializer(Instant.class, ToStringSerializer.instance));

  /** Of the jar on the class path, from where pages take the file that browsers load. */
  private static final String CHARTS_VERSION =
      "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  private static final String CHARTS =
      "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

  private Reports() {}

  /**
   * Writes both, in place of those of an earlier run.
   *
   * @param program whose template it is
   * @param report as Jackson writes it
   * @return where they are, for a person
   */
  public static String write(Path directory, String program, Object report) throws IOException {
    String json = json(report);
    Path script = Files.writeString(directory.resolve("report.json"), json);
    Path page = Files.writeString(directory.resolve("report.html"), html(program, json));
    return "Look at    " + page.toUri() + "\nfor scripts " + script;
  }

  /** The text of report.json. */
  private static String json(Object report) throws JsonProcessingException {
    return JSON.writeValueAsString(report) + "\n";
  }

  private static String html(String program, String json) throws IOException {
    Properties charts = new Properties();
    charts.load(new StringReader(resource(CHARTS_VERSION)));
    return resource("page.html")
        .replace("{{program}}", program)
        .replace("{{style.css}}", resource("style.css"))
        .replace("{{chart.js}}", resource(CHARTS.formatted(charts.getProperty("version"))))
        .replace("{{page.js}}", resource("page.js"))
        .replace("{{body}}", resource("/io/zerorename/" + program + "/report.html"))
        // So that no text of the report can end the element that holds it.
        .replace("{{json}}", json.replace("<", "\\u003c"));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = Reports.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is not on the class path; build the project again");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
