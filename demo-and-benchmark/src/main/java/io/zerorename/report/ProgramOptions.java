package io.zerorename.report;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The options of a program: an object with fields for picocli.
 *
 * <p>The script compiles them alone, with picocli, so that help and errors need no build.
 */
public interface ProgramOptions {
  /** Those that the demo and the benchmark share. */
  CommonOptions common();

  /** Checks what picocli has read, and sets what follows from other options. */
  void complete();

  /**
   * Reads a command line.
   *
   * @throws ParameterException if an option does not exist, or has a value that it does not take
   */
  static <T extends ProgramOptions> T read(T options, String... arguments) {
    new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    if (!options.common().help()) {
      options.complete();
    }
    return options;
  }

  /** Checks a command line and explains it where that is asked for, without running anything. */
  static void answer(String program, ProgramOptions options, String... arguments) {
    try {
      if (read(options, arguments).common().help()) {
        System.out.print(usage(options));
      }
    } catch (ParameterException e) {
      System.err.println(program + ": " + e.getMessage());
      System.exit(2);
    }
  }

  /** What a person must know of the options. */
  static String usage(ProgramOptions options) {
    return new CommandLine(options).setUsageHelpWidth(100).getUsageMessage();
  }
}
