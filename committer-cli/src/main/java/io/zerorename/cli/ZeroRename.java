package io.zerorename.cli;

import static java.util.Objects.requireNonNull;

import io.zerorename.cli.command.ExitCode;
import io.zerorename.cli.command.Output;
import io.zerorename.cli.command.S3Paths;
import io.zerorename.cli.command.Session;
import io.zerorename.cli.command.Subcommand;
import io.zerorename.core.config.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The program {@code zerorename}: reads the options, loads the configuration, runs the command, and
 * turns a failure into one line and an exit code.
 */
public final class ZeroRename {
  private final Supplier<Configuration> base;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * The program, on streams of the caller.
   *
   * @param base the configuration to which the user's options are added
   */
  public ZeroRename(Supplier<Configuration> base, PrintStream out, PrintStream err) {
    this.base = requireNonNull(base, "base");
    this.out = requireNonNull(out, "out");
    this.err = requireNonNull(err, "err");
  }

  public static void main(String[] arguments) {
    System.exit(new ZeroRename(Settings::ofClassPath, System.out, System.err).run(arguments));
  }

  /**
   * Runs a command.
   *
   * @return its {@link ExitCode#number}
   */
  public int run(String... arguments) {
    return commandLine().execute(arguments);
  }

  CommandLine commandLine() {
    CommandLine commands = new CommandLine(new RootCommand());
    commands.setOut(new PrintWriter(out, true, Charset.defaultCharset()));
    commands.setErr(new PrintWriter(err, true, Charset.defaultCharset()));
    commands.setExecutionStrategy(this::execute);
    commands
        .getCommandSpec()
        .versionProvider(() -> new String[] {"zero-rename committer " + Version.number()});
    commands.setParameterExceptionHandler((failure, typed) -> refuse(failure, List.of(typed)));
    return commands;
  }

  private int execute(ParseResult parsed) {
    Integer helped = CommandLine.executeHelpRequest(parsed);
    if (helped != null) {
      return helped;
    }
    CommandLine last = parsed.asCommandLineList().get(parsed.asCommandLineList().size() - 1);
    if (last.getCommand() instanceof Subcommand command) {
      return run(command, parsed.commandSpec().commandLine().<RootCommand>getCommand());
    }
    throw new ParameterException(
        last,
        "Say what to do: "
            + last.getCommandSpec().qualifiedName()
            + " "
            + String.join("|", last.getSubcommands().keySet()));
  }

  private int run(Subcommand command, RootCommand options) {
    Output output = new Output(out, err, options.json);
    ExitCode code;
    try {
      Configuration hadoop = Settings.with(base.get(), options.confDirs, options.settings, false);
      Configuration conf = Settings.with(base.get(), options.confDirs, options.settings, true);
      code = command.run(new Session(conf, hadoop, options.confDirs, output));
    } catch (IOException | RuntimeException | Error e) {
      Problem problem = Problem.of(e);
      output.fail(problem.line());
      if (options.verbose) {
        e.printStackTrace(err);
      }
      code = problem.code();
    }
    output.end(code);
    return code.number();
  }

  private int refuse(ParameterException failure, List<String> typed) {
    // A program that asked for JSON gets it, although the options cannot be parsed.
    Output output = new Output(out, err, typed.contains("--json"));
    CommandLine command = failure.getCommandLine();
    output.fail(
        "%s (see %s --help)"
            .formatted(
                S3Paths.withoutLogin(failure.getMessage()),
                command.getCommandSpec().qualifiedName()));
    output.end(ExitCode.USAGE);
    return ExitCode.USAGE.number();
  }
}
