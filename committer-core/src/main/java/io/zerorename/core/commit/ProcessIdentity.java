package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A process, as others can tell it.
 *
 * @param host its name
 * @param started when, which tells it from a later process of the same number
 */
record ProcessIdentity(String host, long pid, Instant started) {
  private static final ProcessIdentity CURRENT =
      new ProcessIdentity(
          hostName(), ProcessHandle.current().pid(), started(ProcessHandle.current()));

  ProcessIdentity {
    requireNonNull(host, "host");
    requireNonNull(started, "started");
  }

  static ProcessIdentity current() {
    return CURRENT;
  }

  /**
   * Whether it runs; empty where this machine cannot know. Containers that share a host name but no
   * process numbers would deceive it, which is why a name that says nothing counts as unknown.
   */
  Optional<Boolean> isAlive() {
    if (!host.equals(CURRENT.host) || host.equals("localhost")) {
      return Optional.empty();
    }
    return Optional.of(
        ProcessHandle.of(pid).filter(process -> started(process).equals(started)).isPresent());
  }

  /** To the second, which is all that some systems tell. */
  private static Instant started(ProcessHandle process) {
    return Instant.ofEpochSecond(
        process.info().startInstant().orElse(Instant.EPOCH).getEpochSecond());
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // Then no process is taken for one of the same machine.
      return "unknown-" + UUID.randomUUID();
    }
  }

  @Override
  public String toString() {
    return "process " + pid + " on " + host;
  }
}
