package io.zerorename.testing.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A JVM with the class path of this one or another, to be killed. Its main class takes lines on its
 * standard input and answers with lines on its standard output; whatever it logs goes to a file. It
 * must end where its input ends, so that it does not outlive this JVM.
 */
public final class ChildJvm implements Closeable {
  /**
   * Options with which classes are not verified, a fifth of what the start of a Hive or of a
   * container costs. For processes whose class path is that of a JVM of the tests, which verifies
   * what it loads, or has nothing of ours; not for those that show that ours fits to another
   * version.
   */
  public static final List<String> UNVERIFIED =
      List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

  private static final long EXIT_SECONDS = 120;

  /** 128 and the number of the signal, by which the JDK tells it. */
  private static final int EXIT_OF_SIGKILL = 137;

  private final Process process;
  private final Path log;
  private final List<String> lines = new ArrayList<>();
  private boolean outputEnded;

  private ChildJvm(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * What a JVM is started with; a value that each method returns a changed copy of.
   *
   * @param launcher words before those of the JVM: a program that becomes it, so that it has its
   *     process id
   */
  public record Command(
      List<String> launcher,
      String main,
      String classPath,
      List<String> options,
      List<String> arguments,
      Map<String, String> environment) {
    public Command {
      launcher = List.copyOf(launcher);
      requireNonNull(main, "main");
      requireNonNull(classPath, "classPath");
      options = List.copyOf(options);
      arguments = List.copyOf(arguments);
      environment = Map.copyOf(environment);
    }

    /** Started by nothing else. */
    public Command(
        String main,
        String classPath,
        List<String> options,
        List<String> arguments,
        Map<String, String> environment) {
      this(List.of(), main, classPath, options, arguments, environment);
    }

    /** On the class path of this JVM. */
    public Command(
        Class<?> main,
        List<String> options,
        List<String> arguments,
        Map<String, String> environment) {
      this(main.getName(), System.getProperty("java.class.path"), options, arguments, environment);
    }

    /** A main class without arguments, in a JVM whose start is quick. */
    public static Command of(Class<?> main) {
      return new Command(
          main,
          List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"),
          List.of(),
          Map.of());
    }

    /** With these options besides. */
    public Command withOptions(List<String> more) {
      List<String> all = new ArrayList<>(options);
      all.addAll(more);
      return new Command(launcher, main, classPath, all, arguments, environment);
    }

    /** Started by this program. */
    public Command withLauncher(List<String> launcher) {
      return new Command(launcher, main, classPath, options, arguments, environment);
    }

    /** With the modules of the JDK open as they are in this JVM. */
    public Command withModulesOpen() {
      return withOptions(
          ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
              .filter(option -> option.startsWith("--add-opens"))
              .toList());
    }

    /** On another class path than this JVM's. */
    public Command withClassPath(String classPath) {
      return new Command(launcher, main, classPath, options, arguments, environment);
    }

    public Command withArguments(List<String> arguments) {
      return new Command(launcher, main, classPath, options, arguments, environment);
    }

    public Command withEnvironment(Map<String, String> environment) {
      return new Command(launcher, main, classPath, options, arguments, environment);
    }

    private List<String> words() {
      List<String> words = new ArrayList<>(launcher);
      words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      words.addAll(options);
      words.add("-cp");
      words.add(classPath);
      words.add(main);
      words.addAll(arguments);
      return words;
    }
  }

  /**
   * Starts a JVM.
   *
   * @param log where its standard error goes; beside it is its working directory, for what it
   *     leaves
   */
  public static ChildJvm start(Command command, Path log) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command.words())
            .directory(log.toAbsolutePath().getParent().toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(command.environment());
    ChildJvm child = new ChildJvm(builder.start(), log);
    Thread reader = new Thread(child::readOutput, "child-output-" + child.process.pid());
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  /** Writes a line to its standard input. */
  public void send(String line) throws IOException {
    OutputStream out = process.getOutputStream();
    out.write((line + "\n").getBytes(UTF_8));
    out.flush();
  }

  /**
   * Returns the lines of its output from one on up to the first of them that matches, as soon as
   * that is there.
   *
   * @param from how many lines to skip
   * @throws AssertionError where the process ends or the time is over before
   */
  public List<String> await(int from, Predicate<String> last, Duration patience)
      throws InterruptedException, IOException {
    long end = System.nanoTime() + patience.toNanos();
    synchronized (lines) {
      int next = from;
      while (true) {
        for (; next < lines.size(); next++) {
          if (last.test(lines.get(next))) {
            return List.copyOf(lines.subList(from, next + 1));
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (outputEnded || left <= 0) {
          break;
        }
        lines.wait(left);
      }
    }
    throw new AssertionError(
        (process.isAlive() ? "no such line within " + patience : "the process ended without it")
            + ". "
            + lastOutput());
  }

  /**
   * Kills it as {@code kill -9} does, and returns when it is gone. May be called from any thread,
   * and again.
   */
  public void kill() throws InterruptedException {
    // Not by the process itself, which would close its output before all of it was read.
    process.toHandle().destroyForcibly();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("process " + process.pid() + " outlives its kill");
    }
  }

  /** Returns when it is gone, for whatever reason. */
  public void awaitEnd(Duration patience) throws InterruptedException, IOException {
    if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("still alive after " + patience + ". " + lastOutput());
    }
  }

  /** Whether a signal ended it, and not its own doing; asked once it is gone. */
  public boolean wasKilled() {
    return exitCode() == EXIT_OF_SIGKILL;
  }

  /** What it has ended with; asked once it is gone. */
  public int exitCode() {
    return process.exitValue();
  }

  /** All that it has written to its standard output; complete once it is gone. */
  public List<String> output() throws InterruptedException {
    synchronized (lines) {
      while (!process.isAlive() && !outputEnded) {
        lines.wait();
      }
      return List.copyOf(lines);
    }
  }

  /** What it wrote and logged last, to explain a failure. */
  public String lastOutput() throws IOException {
    List<String> logged = Files.readAllLines(log);
    synchronized (lines) {
      return "Its output ended with:\n" + tail(lines) + "\nIts log ended with:\n" + tail(logged);
    }
  }

  private static String tail(List<String> lines) {
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 50), lines.size()));
  }

  /** Kills it if it is still there. */
  @Override
  public void close() throws IOException {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while process " + process.pid() + " ended", e);
    }
  }

  private void readOutput() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      String line;
      while ((line = reader.readLine()) != null) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      synchronized (lines) {
        lines.add("(its output cannot be read: " + e + ")");
      }
    } finally {
      synchronized (lines) {
        outputEnded = true;
        lines.notifyAll();
      }
    }
  }
}
