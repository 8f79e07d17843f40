package io.zerorename.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The words of a command line, one after the other, and their values.
 *
 * <p>It uses the JDK only: the scripts run it from source, so that help and errors need no build.
 */
public final class CommandLine {
  private final String command;
  private final Iterator<String> rest;
  private String option = "";

  /**
   * @param command how the program is called, such as {@code ./demo}
   * @param arguments {@code --name value}, {@code --name=value} or {@code --name}
   */
  public CommandLine(String command, String... arguments) {
    this.command = command;
    List<String> words = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.startsWith("--") && argument.contains("=")) {
        words.addAll(List.of(argument.split("=", 2)));
      } else {
        words.add(argument);
      }
    }
    this.rest = words.iterator();
  }

  /** An option that does not exist or a value that it does not take. */
  public static final class InvalidOptionException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidOptionException(String message) {
      super(message);
    }
  }

  /** The answer to a command line before anything runs. */
  @FunctionalInterface
  public interface Answer {
    String text() throws InvalidOptionException;
  }

  /** Prints an answer, or ends the JVM with 2 if an option is wrong. */
  public static void answer(String program, Answer answer) {
    try {
      System.out.print(answer.text());
    } catch (InvalidOptionException e) {
      System.err.println(program + ": " + e.getMessage());
      System.exit(2);
    }
  }

  public boolean hasNext() {
    return rest.hasNext();
  }

  /** The next option, of which the methods below take the value. */
  public String next() {
    option = rest.next();
    return option;
  }

  /** The failure of an unknown option. */
  public InvalidOptionException unknown() {
    return new InvalidOptionException(
        "unknown option '" + option + "'; " + command + " --help lists the options");
  }

  /** The failure of a value that the option does not take. */
  public InvalidOptionException invalid(String allowed, String value) {
    return new InvalidOptionException(option + " must be " + allowed + ", not '" + value + "'");
  }

  /** The option's value, as it was typed. */
  public String value() throws InvalidOptionException {
    if (!rest.hasNext()) {
      throw new InvalidOptionException(
          option + " needs a value; " + command + " --help explains it");
    }
    return rest.next();
  }

  /** A whole number. */
  public int integer(int least, int most) throws InvalidOptionException {
    return integer(value(), least, most);
  }

  /** Whole numbers, separated by commas. */
  public List<Integer> integers(int least, int most) throws InvalidOptionException {
    List<Integer> numbers = new ArrayList<>();
    for (String word : value().split(",", -1)) {
      numbers.add(integer(word, least, most));
    }
    return numbers;
  }

  private int integer(String word, int least, int most) throws InvalidOptionException {
    try {
      int number = Integer.parseInt(word);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Answered below, as a number out of range is.
    }
    throw invalid("a whole number from " + least + " to " + most, word);
  }

  /** A number above 0. */
  public double positive(double most) throws InvalidOptionException {
    String word = value();
    double number;
    try {
      number = Double.parseDouble(word);
    } catch (NumberFormatException e) {
      number = Double.NaN;
    }
    if (!(number > 0 && number <= most)) {
      throw invalid("a number above 0 and up to " + number(most), word);
    }
    return number;
  }

  /** One of several names. */
  public <E extends Enum<E>> E choice(E[] choices) throws InvalidOptionException {
    return choice(value(), choices);
  }

  /** Several names of an enum, separated by commas. */
  public <E extends Enum<E>> List<E> choices(E[] choices) throws InvalidOptionException {
    List<E> chosen = new ArrayList<>();
    for (String word : value().split(",", -1)) {
      chosen.add(choice(word, choices));
    }
    return chosen;
  }

  private <E extends Enum<E>> E choice(String word, E[] choices) throws InvalidOptionException {
    for (E choice : choices) {
      if (name(choice).equals(word.toLowerCase(Locale.ROOT))) {
        return choice;
      }
    }
    throw invalid(
        Arrays.stream(choices).map(CommandLine::name).collect(Collectors.joining(" or ")), word);
  }

  /** A choice as a person types it. */
  public static String name(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  /** A number without a fraction of 0. */
  public static String number(double value) {
    return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
  }
}
