package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.Command;
import io.zerorename.testing.docs.Page;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FsShell;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkField;
import software.amazon.awssdk.core.SdkPojo;
import software.amazon.awssdk.services.s3.S3Client;

/** What pages tell a reader to type, of programs that Hadoop and AWS bring. */
class OthersCommandsTest extends OnTable {
  /** As the pages call them. */
  private static final String OUTPUT = "output";

  private static final String TABLE = "warehouse/sales.db/orders";

  /** Of the AWS command line itself, whatever the operation. */
  private static final Set<String> AWS_OPTIONS = Set.of("query");

  @BeforeEach
  void commitJobs() throws IOException {
    CommittedOutput.write(bucket.conf(), bucket.path(OUTPUT), "one", "two");
    CommittedOutput.write(bucket.conf(), bucket.path(TABLE), "three");
  }

  @Test
  void hadoopsCommandsPrintWhatIsThere() {
    List<Command> typed = of("hadoop", Page::commands).toList();
    assertThat(typed).isNotEmpty();
    assertThat(typed)
        .allSatisfy(
            command ->
                assertThat(printed(command))
                    .as(command.text())
                    .containsAnyOf("\"committer\" : \"zerorename\"", "_zerorename/"));
  }

  /** Types it on the host of a reader whose bucket is the test's. */
  private String printed(Command command) {
    assertThat(command.arguments().get(0)).isEqualTo("fs");
    String[] arguments =
        command.arguments().stream()
            .skip(1)
            .map(argument -> argument.replace("s3a://bucket/", bucket.path("").toString()))
            .toArray(String[]::new);
    return standardOutput(
        () -> assertThat(new FsShell(bucket.conf()).run(arguments)).as("exit code").isZero());
  }

  @FunctionalInterface
  private interface Program {
    void run() throws Exception;
  }

  private static String standardOutput(Program program) {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      program.run();
    } catch (Exception e) {
      throw new AssertionError("it has failed", e);
    } finally {
      System.setOut(before);
    }
    return printed.toString(UTF_8);
  }

  /** The SDK is made from the same model of S3 as the command line. */
  @Test
  void awsHasTheOperationsAndTheirOptions() {
    assertThat(
            Stream.concat(of("aws", Page::commands), of("aws", Page::mentionedCommands)).toList())
        .isNotEmpty()
        .allSatisfy(
            command -> {
              assertThat(command.arguments().get(0)).isEqualTo("s3api");
              Set<String> options = options(command.arguments().get(1));
              assertThat(
                      command.arguments().stream()
                          .filter(argument -> argument.startsWith("--"))
                          .map(option -> option.substring(2)))
                  .allMatch(option -> AWS_OPTIONS.contains(option) || options.contains(option));
            });
  }

  private static Set<String> options(String operation) throws ReflectiveOperationException {
    String method = method(operation);
    assertThat(Stream.of(S3Client.class.getMethods()).map(Method::getName)).contains(method);
    Class<?> request =
        Class.forName(
            "software.amazon.awssdk.services.s3.model."
                + method.substring(0, 1).toUpperCase(Locale.ROOT)
                + method.substring(1)
                + "Request");
    SdkPojo empty = (SdkPojo) request.getMethod("builder").invoke(null);
    return empty.sdkFields().stream()
        .map(SdkField::memberName)
        .map(OthersCommandsTest::option)
        .collect(toSet());
  }

  private static String method(String operation) {
    return Pattern.compile("-(.)")
        .matcher(operation)
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }

  private static String option(String member) {
    return member.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  private static Stream<Command> of(String program, Function<Page, Stream<Command>> commands) {
    return Page.all().flatMap(commands).filter(command -> command.program().equals(program));
  }
}
