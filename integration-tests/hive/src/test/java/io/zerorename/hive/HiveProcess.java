package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.localfs.LocalDiskOfHive;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Hive with the committer in a process of its own, and the way to S3 that it alone takes. */
final class HiveProcess implements Closeable {

  private final ChildJvm process;
  private final S3Gateway gateway;
  private int answered;

  private HiveProcess(ChildJvm process, S3Gateway gateway) {
    this.process = process;
    this.gateway = gateway;
  }

  /**
   * Starts Hive.
   *
   * @param home where its files are, those of its metastore included; the next process finds them
   */
  static HiveProcess start(EmbeddedS3Server server, Path home) throws IOException {
    S3Gateway gateway = server.newGateway();
    Map<String, String> settings = new HashMap<>(server.hadoopSettingsWithoutSecrets(gateway));
    settings.put("hive.semantic.analyzer.hook", ZeroRenameHook.class.getName());
    settings.put("hive.query.lifetime.hooks", ZeroRenameHook.class.getName());
    settings.put("hive.compute.query.using.stats", "false");
    // The one that was killed before has nothing under way.
    settings.put(CoreKeys.RECOVERY_PATIENCE.name(), "0");
    settings.put("fs.file.impl", LocalDiskOfHive.class.getName());
    List<String> arguments = new ArrayList<>();
    arguments.add(home.toString());
    settings.forEach((key, value) -> arguments.add(key + "=" + value));
    ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(HiveServer.class)
                .withOptions(options(home))
                .withModulesOpen()
                .withArguments(arguments),
            home.resolve("hive.log"));
    return new HiveProcess(process, gateway);
  }

  private static List<String> options(Path home) {
    List<String> options = new ArrayList<>(ChildJvm.UNVERIFIED);
    options.add("-Xmx1g");
    // For every configuration of the process: an embedded metastore makes some of its own, and one
    // with another address closes the connections of the first.
    options.add(
        "-Djavax.jdo.option.ConnectionURL=jdbc:derby:;databaseName="
            + home.resolve("metastore")
            + ";create=true");
    options.add("-Dderby.stream.error.file=" + home.resolve("derby.log"));
    // As the build sets it for this JVM.
    options.add("-Dderby.language.statementCache.size=1000");
    return options;
  }

  /** Runs a statement that must succeed, and returns its rows in order. */
  List<String> execute(String sql) throws IOException, InterruptedException {
    process.send(sql);
    List<String> answer = process.await(answered, HiveProcess::isLast, Await.LIMIT);
    answered += answer.size();
    int rows = answer.size() - 1;
    assertThat(answer.get(rows)).as(sql).isEqualTo(HiveServer.DONE);
    return answer.subList(0, rows).stream()
        .map(row -> row.substring(HiveServer.ROW.length()))
        .sorted()
        .toList();
  }

  /** Changes a setting of the session. */
  void set(String key, String value) throws IOException, InterruptedException {
    execute(HiveServer.SET + key + "=" + value);
  }

  private static boolean isLast(String line) {
    return line.equals(HiveServer.DONE) || line.startsWith(HiveServer.FAILED);
  }

  /** Runs a statement and kills the process in it; returns when nothing of it is under way. */
  void killIn(String sql, Kill kill) throws IOException, InterruptedException {
    gateway.faults(kill.of(process));
    process.send(sql);
    process.awaitEnd(Await.LIMIT);
    assertThat(process.wasKilled()).as(process.lastOutput()).isTrue();
    gateway.awaitDisconnected(Await.LIMIT);
    gateway.faults(FaultRule.NONE);
    assertThat(process.output().subList(answered, process.output().size()))
        .as("the answer to %s", sql)
        .isEmpty();
  }

  /** Lets it end as {@code hive -e} does after its statement, which must not take long. */
  void exit() throws IOException, InterruptedException {
    process.send(HiveServer.EXIT);
    process.awaitEnd(Await.LIMIT);
    close();
  }

  /** Kills it if it is still there. */
  @Override
  public void close() throws IOException {
    process.close();
    gateway.close();
  }
}
