package io.zerorename.cli;

import io.zerorename.cli.doctor.DoctorCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** All commands, and their common options. */
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
final class RootCommand {
  @Option(
      names = "-D",
      paramLabel = "<key=value>",
      scope = ScopeType.INHERIT,
      description = "Sets a property of Hadoop, over the configuration files.")
  Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--conf-dir",
      paramLabel = "<dir>",
      scope = ScopeType.INHERIT,
      description =
          "A directory with core-site.xml, hive-site.xml or the like, over those of the class path."
              + " May be repeated.")
  List<Path> confDirs = new ArrayList<>();

  @Option(
      names = "--json",
      scope = ScopeType.INHERIT,
      description = "Prints one JSON document instead of text.")
  boolean json;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Prints the stack trace of a failure as well, and warnings of Hadoop's log.")
  boolean verbose;

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
}
