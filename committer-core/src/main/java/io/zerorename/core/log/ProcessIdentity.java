package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process, as other processes identify it.
 *
 * @param host its name, and what distinguishes its process numbers from those of others of that
 *     name
 * @param started when, which distinguishes it from a later process of the same number
 */
public record ProcessIdentity(String host, long pid, Instant started) {
  private static final Duration BLUR = Duration.ofMinutes(1);
  private static final ProcessIdentity CURRENT =
      new ProcessIdentity(
          hostName(), ProcessHandle.current().pid(), started(ProcessHandle.current()));

  public ProcessIdentity {
    requireNonNull(host, "host");
    requireNonNull(started, "started");
  }

  public static ProcessIdentity current() {
    return CURRENT;
  }

  /** Whether it runs; empty where this process cannot know. */
  public Optional<Boolean> isAlive() {
    if (!host.equals(CURRENT.host) || host.startsWith("localhost")) {
      return Optional.empty();
    }
    return Optional.of(
        ProcessHandle.of(pid)
            // Computed from the time of the machine's start, which two processes see differently
            // once a clock was set.
            .filter(
                process -> Duration.between(started(process), started).abs().compareTo(BLUR) < 0)
            .isPresent());
  }

  /** To the second, which is all that some systems have. */
  private static Instant started(ProcessHandle process) {
    return Instant.ofEpochSecond(
        process.info().startInstant().orElse(Instant.EPOCH).getEpochSecond());
  }

  /**
   * With the space of its process numbers, which containers of one machine may have each, and what
   * distinguishes its run from those of other machines: images and replaced containers share names,
   * and the first space has one number everywhere.
   */
  private static String hostName() {
    try {
      String name = InetAddress.getLocalHost().getHostName();
      Path space = Path.of("/proc/self/ns/pid");
      Path run = Path.of("/proc/sys/kernel/random/boot_id");
      return Stream.of(
              name,
              Files.exists(space) ? Files.readSymbolicLink(space).toString() : "",
              Files.exists(run) ? Files.readString(run).strip() : "")
          .filter(part -> !part.isEmpty())
          .collect(Collectors.joining("/"));
    } catch (IOException e) {
      // Then no process is taken for one of the same machine.
      return "unknown-" + UUID.randomUUID();
    }
  }

  @Override
  public String toString() {
    return "process " + pid + " on " + host;
  }
}
