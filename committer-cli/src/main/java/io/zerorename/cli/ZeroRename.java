package io.zerorename.cli;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/**
 * The program {@code zerorename} with all commands: reads their common options, loads the
 * configuration, runs the command, and turns a failure into one line and an exit code.
 */
@Command(
    name = "zerorename",
    scope = ScopeType.INHERIT,
    usageHelpWidth = 100,
    description = "Shows, checks and repairs the output of the zero-rename committer on S3.",
    subcommands = {
      StatusCommand.class,
      RecoverCommand.class,
      UploadsCommand.class,
      VerifyCommand.class,
      DoctorCommand.class,
      HelpCommand.class
    },
    parameterListHeading = "%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, and nothing is wrong",
      "1:done, and something was found that is wrong or left to do",
      "2:wrong options or wrong input: a path, a bucket, a file",
      "3:something may be under way in another process, and was left alone",
      "4:could not be done: a server did not answer, or refused"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  zerorename status s3a://bucket/warehouse",
      "  zerorename recover s3a://bucket/warehouse/db.db/table",
      "  zerorename status --ended 50 s3a://bucket/warehouse/db.db/table",
      "  zerorename uploads --help"
    })
public final class ZeroRename {
  @Option(
      names = "-D",
      paramLabel = "<key=value>",
      scope = ScopeType.INHERIT,
      description = "Sets a property of Hadoop, over the configuration files.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--conf-dir",
      paramLabel = "<dir>",
      scope = ScopeType.INHERIT,
      description =
          "A directory with core-site.xml, hive-site.xml or the like, over those of the class path."
              + " May be repeated.")
  private List<Path> confDirs = new ArrayList<>();

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Prints one JSON document instead of text.")
  private boolean json;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Prints the stack trace of a failure as well, and warnings of Hadoop's log.")
  private boolean verbose;

  @Option(
      names = "--version",
      versionHelp = true,
      description = "Prints the version of the committer.")
  boolean version;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Prints this.")
  boolean help;

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
    CommandLine commands = new CommandLine(this);
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
      return run(command);
    }
    throw new ParameterException(
        last,
        "Say what to do: "
            + last.getCommandSpec().qualifiedName()
            + " "
            + String.join("|", last.getSubcommands().keySet()));
  }

  private int run(Subcommand command) {
    Output output = new Output(out, err, json);
    ExitCode code;
    try {
      Configuration hadoop = Settings.with(base.get(), confDirs, settings, false);
      Configuration conf = Settings.with(base.get(), confDirs, settings, true);
      code = command.run(new Session(conf, hadoop, confDirs, output));
    } catch (IOException | RuntimeException | Error e) {
      Problem problem = Problem.of(e, verbose);
      output.fail(problem.line());
      if (verbose) {
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
