package io.zerorename.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.util.StringUtils;

/**
 * A page of HTML that needs no other file: a template with names in double braces, which values
 * replace, in the frame and with the style sheet of all pages.
 */
public final class Page {
  private static final String FRAME = "page.html";
  private static final String STYLE = "style.css";

  private final Class<?> owner;
  private final String template;
  private final Map<String, String> values = new LinkedHashMap<>();

  /**
   * @param owner in whose package the template is
   */
  public Page(String title, Class<?> owner, String template) throws IOException {
    this.owner = owner;
    this.template = template;
    put("title", title);
    put("style", resource(Page.class, STYLE));
  }

  /** Text as it stands in a page. */
  public static String escape(String text) {
    return StringUtils.escapeHTML(text);
  }

  /** Sets a value, which is not escaped. */
  public Page put(String name, String html) {
    values.put(name, html);
    return this;
  }

  /** The whole page. */
  public String build() throws IOException {
    String page = resource(Page.class, FRAME).replace("{{body}}", resource(owner, template));
    for (Map.Entry<String, String> value : values.entrySet()) {
      page = page.replace("{{" + value.getKey() + "}}", value.getValue());
    }
    return page;
  }

  private static String resource(Class<?> owner, String name) throws IOException {
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is not on the class path; build the project again");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
