package io.zerorename.testing.s3server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * Processes of S3Proxy that a user of this JVM has left, for the next one: to start one takes some
 * seconds of processor time. Their data is deleted, which is all that they have.
 */
final class IdleServers {
  /**
   * @param directory of the process, with its data
   */
  record Server(Path directory, RunningServer process) {
    void end() throws IOException {
      process.close();
      deleteBelow(directory);
      Files.deleteIfExists(directory);
    }

    void deleteData() throws IOException {
      deleteBelow(directory.resolve(S3Proxy.DATA));
    }

    /** Deletes all that is in a directory. */
    private static void deleteBelow(Path directory) throws IOException {
      List<Path> paths;
      try (Stream<Path> walk = Files.walk(directory)) {
        paths = walk.filter(it -> !it.equals(directory)).sorted(Comparator.reverseOrder()).toList();
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
      for (Path path : paths) {
        Files.deleteIfExists(path);
      }
    }
  }

  private static final Deque<Server> IDLE = new ArrayDeque<>();

  static {
    ShutdownHookManager.get()
        .addShutdownHook(IdleServers::endAll, EmbeddedS3Server.AFTER_FILE_SYSTEMS - 1);
  }

  private IdleServers() {}

  /** Keeps a server that no client uses any more. */
  static void add(Server server) throws IOException {
    if (!isEmptied(server)) {
      server.end();
      return;
    }
    synchronized (IDLE) {
      IDLE.addLast(server);
    }
  }

  /** One without any data, if there is one. */
  static Optional<Server> take() throws IOException {
    while (true) {
      Server server;
      synchronized (IDLE) {
        server = IDLE.pollFirst();
      }
      if (server == null) {
        return Optional.empty();
      }
      // What was still under way for a client that is gone may have come meanwhile.
      if (isEmptied(server)) {
        return Optional.of(server);
      }
      server.end();
    }
  }

  private static boolean isEmptied(Server server) {
    if (!server.process().isAlive()) {
      return false;
    }
    try {
      server.deleteData();
      return true;
    } catch (IOException e) {
      // Something is being written there.
      return false;
    }
  }

  private static void endAll() {
    synchronized (IDLE) {
      for (Server server : IDLE) {
        try {
          server.end();
        } catch (IOException e) {
          System.err.println("data of an S3 server is left in " + server.directory() + ": " + e);
        }
      }
      IDLE.clear();
    }
  }
}
