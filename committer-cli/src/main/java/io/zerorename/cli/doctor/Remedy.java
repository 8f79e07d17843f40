package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One thing to do about what a check found. */
sealed interface Remedy {

  /** In a line for a person. */
  String line();

  /** For a program. */
  void describe(ObjectNode node);

  /**
   * A property is to have a value.
   *
   * @param file where it belongs
   */
  record SetProperty(String property, String value, String file) implements Remedy {
    public SetProperty {
      requireNonNull(property, "property");
      requireNonNull(value, "value");
      requireNonNull(file, "file");
    }

    @Override
    public String line() {
      return "set " + property + "=" + value + " in " + file;
    }

    @Override
    public void describe(ObjectNode node) {
      node.put("property", property).put("value", value).put("file", file);
    }
  }

  /**
   * The credentials are to be allowed an action.
   *
   * @param action as an IAM policy names it
   * @param resource the ARN on which
   */
  record Grant(String action, String resource) implements Remedy {
    public Grant {
      requireNonNull(action, "action");
      requireNonNull(resource, "resource");
    }

    @Override
    public String line() {
      return "grant " + action + " on " + resource;
    }

    @Override
    public void describe(ObjectNode node) {
      node.put("action", action).put("resource", resource);
    }
  }
}
