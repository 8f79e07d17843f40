package io.zerorename.testing.s3server;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** How the build makes a server of what others publish, in a directory of its own. */
enum Toolchain {
  /** A Go module, with its version; the program is in {@code bin}. */
  GO("go") {
    @Override
    void make(Path home, List<String> published) throws IOException {
      String module = published.get(0);
      // Not "go install" with a version, which refuses modules that replace others.
      run(home, List.of("go", "mod", "init", "server"));
      run(home, List.of("go", "get", module));
      run(home, List.of("go", "build", "-o", "bin/", module.substring(0, module.indexOf('@'))));
    }
  },
  /** Packages of PyPI, in a virtual environment. */
  PYTHON("python3") {
    @Override
    void make(Path home, List<String> published) throws IOException {
      run(home, List.of("python3", "-m", "venv", "."));
      List<String> install = new ArrayList<>(List.of("bin/pip", "install", "--quiet"));
      install.addAll(published);
      run(home, install);
    }
  },
  /** What a POM among these resources depends on, in {@code lib}. */
  MAVEN("mvn") {
    @Override
    void make(Path home, List<String> published) throws IOException {
      copyResources(home, published);
      run(
          home,
          List.of("mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib"));
    }
  },
  /** Programs of the system, which a script among these resources starts. */
  DEBIAN("ceph-mon", "ceph-osd", "radosgw", "setpriv") {
    @Override
    void make(Path home, List<String> published) throws IOException {
      copyResources(home, published);
    }
  };

  private static final long MINUTES = 60;

  /** With a space between them. */
  private final String programs;

  Toolchain(String... programs) {
    this.programs = String.join(" ", programs);
  }

  abstract void make(Path home, List<String> published) throws IOException;

  /** The programs that it needs and that are not in the PATH. */
  List<String> missing() {
    return Stream.of(programs.split(" ", -1)).filter(it -> !isInPath(it)).toList();
  }

  private static boolean isInPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  /** The directory with all that was made, by this build or an earlier one. */
  Path made(Path installations, List<String> published) throws IOException {
    Path home = installations.resolve(published.get(0).replaceAll("[^A-Za-z0-9.]+", "-"));
    Path lock = installations.resolve("lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      Path made = home.resolve("made");
      if (!Files.exists(made)) {
        Files.createDirectories(home);
        make(home, published);
        Files.createFile(made);
      }
      return home;
    }
  }

  private static void copyResources(Path home, List<String> names) throws IOException {
    for (String name : names) {
      Path file = home.resolve(name.substring(name.indexOf('/') + 1));
      Files.createDirectories(file.getParent());
      try (InputStream resource = Toolchain.class.getResourceAsStream(name)) {
        Files.copy(resource, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static void run(Path home, List<String> command) throws IOException {
    Path output = Files.createTempFile("zerorename-installation-", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(
            String.join(" ", command) + " did not succeed: " + Files.readString(output));
      }
      Files.delete(output);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + String.join(" ", command), e);
    }
  }
}
