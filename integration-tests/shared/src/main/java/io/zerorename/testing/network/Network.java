package io.zerorename.testing.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.testing.process.ChildJvm;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hosts that see each other over one switch, and of which each link can be cut: network namespaces
 * of this machine, each with an address and a link to a bridge. This process is at the bridge, as
 * another host.
 *
 * <p>It needs Linux, root, and the commands {@code ip} and {@code tc} of iproute2. The names of all
 * that it makes begin with the id of this process, so that a later process removes what a killed
 * one has left.
 */
public final class Network implements Closeable {
  private static final Pattern NAME = Pattern.compile("^(zr(\\d+)(?:-\\d+)?)\\b.*");

  private final long pid = ProcessHandle.current().pid();
  private final String bridge = "zr" + pid;
  private final List<Host> hosts = new ArrayList<>();

  private Network() {}

  /** Why there can be no network on this machine; empty where there can. */
  public static Optional<String> reasonAgainst() {
    String name = "zr" + ProcessHandle.current().pid() + "-0";
    try {
      run("ip netns add " + name);
      try {
        run("tc -n " + name + " qdisc replace dev lo root blackhole");
      } finally {
        run("ip netns delete " + name);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("NOT TESTED, there is no network of hosts: " + e.getMessage().strip());
    }
  }

  /** Makes one without hosts, after it has removed those of processes that are gone. */
  public static Network create() throws IOException {
    removeLeft(run("ip netns list"), Network::remove);
    removeLeft(run("ip -brief link show type bridge"), name -> run("ip link delete " + name));
    Network network = new Network();
    run("ip link add %s address %s type bridge".formatted(network.bridge, network.mac(1)));
    run("ip address add %s/24 dev %s".formatted(network.address(1), network.bridge));
    run("ip link set %s up".formatted(network.bridge));
    return network;
  }

  private interface Removal {
    void of(String name) throws IOException;
  }

  private static void removeLeft(List<String> lines, Removal removal) throws IOException {
    for (String line : lines) {
      Matcher name = NAME.matcher(line);
      if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(2))).isEmpty()) {
        try {
          removal.of(name.group(1));
        } catch (IOException e) {
          System.out.println(name.group(1) + " stays, or another process removes it, too: " + e);
        }
      }
    }
  }

  /** With the processes that run there. */
  private static void remove(String namespace) throws IOException {
    for (String process : run("ip netns pids " + namespace)) {
      ProcessHandle.of(Long.parseLong(process))
          .ifPresent(
              it -> {
                it.destroyForcibly();
                it.onExit().join();
              });
    }
    run("ip netns delete " + namespace);
  }

  /** Adds a host. */
  public Host add() throws IOException {
    int number = hosts.size() + 2;
    String name = bridge + "-" + number;
    Host host = new Host(name, number);
    run("ip netns add " + name);
    hosts.add(host);
    String inside = "ip -n " + name;
    run(
        "ip link add %s type veth peer name eth0 address %s netns %s"
            .formatted(name, mac(number), name));
    run("ip link set %s master %s up".formatted(name, bridge));
    run("%s address add %s/24 dev eth0".formatted(inside, host.address()));
    run(inside + " link set eth0 up");
    run(inside + " link set lo up");
    // Nobody has to ask who has an address: beyond a cut link this host would answer for it that
    // there is none, and a router that is not there answers nothing.
    knows("ip", bridge, number);
    knows(inside, "eth0", 1);
    for (Host other : hosts.subList(0, hosts.size() - 1)) {
      knows(inside, "eth0", other.number);
      knows("ip -n " + other.name, "eth0", number);
    }
    return host;
  }

  private void knows(String who, String device, int number) throws IOException {
    run(
        "%s neighbour replace %s lladdr %s dev %s nud permanent"
            .formatted(who, address(number), mac(number), device));
  }

  private String mac(int number) {
    return "02:00:00:00:00:%02x".formatted(number);
  }

  /** Of the range for tests of networks (RFC 2544). */
  private String address(int number) {
    return "198.18." + pid % 256 + "." + number;
  }

  /** Of the host on which this process is, for the others. */
  public InetAddress address() throws IOException {
    return InetAddress.getByName(address(1));
  }

  /** Removes all hosts, and kills what runs there. */
  @Override
  public void close() throws IOException {
    for (Host host : hosts) {
      // The kernel would remove it later, and the next network may have the same names.
      run("ip link delete " + host.name);
      remove(host.name);
    }
    run("ip link delete " + bridge);
  }

  /** One of the hosts. What happens to its link concerns packets that are sent from then on. */
  public final class Host {
    private final String name;
    private final int number;

    private Host(String name, int number) {
      this.name = name;
      this.number = number;
    }

    public String address() {
      return Network.this.address(number);
    }

    /** A command that runs on this host. */
    public ChildJvm.Command on(ChildJvm.Command command) {
      return command.withLauncher(List.of("ip", "netns", "exec", name));
    }

    /** Drops all packets. Nobody is told. */
    public void cut() throws IOException {
      cutIncoming();
      cutOutgoing();
    }

    /** Drops what others send to it. */
    public void cutIncoming() throws IOException {
      incoming("blackhole");
    }

    /** Drops what it sends to others. */
    public void cutOutgoing() throws IOException {
      outgoing("blackhole");
    }

    /** Lets some bits through in a second, in each direction. */
    public void crawl(int bits) throws IOException {
      String discipline = "tbf rate %sbit burst 2000 limit 1000000".formatted(bits);
      incoming(discipline);
      outgoing(discipline);
    }

    /** Lets all packets through. */
    public void heal() throws IOException {
      incoming("noqueue");
      outgoing("noqueue");
    }

    private void incoming(String discipline) throws IOException {
      run("tc qdisc replace dev %s root %s".formatted(name, discipline));
    }

    private void outgoing(String discipline) throws IOException {
      run("tc -n %s qdisc replace dev eth0 root %s".formatted(name, discipline));
    }
  }

  /** Runs a command, and returns the lines of its output. */
  private static List<String> run(String command) throws IOException {
    Process process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(command);
    }
    return output.lines().toList();
  }
}
