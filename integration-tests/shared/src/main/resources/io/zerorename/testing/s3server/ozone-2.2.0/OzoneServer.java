import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import org.apache.hadoop.hdds.conf.OzoneConfiguration;
import org.apache.hadoop.ozone.MiniOzoneCluster;
import org.apache.hadoop.ozone.s3.Gateway;
import org.apache.hadoop.ozone.s3.OzoneConfigurationHolder;
import org.apache.ozone.test.GenericTestUtils.PortAllocator;

/** A cluster and its S3 gateway: {@code java -cp lib/* OzoneServer.java PORT DIRECTORY}. */
final class OzoneServer {
  private OzoneServer() {}

  public static void main(String[] arguments) throws Exception {
    holdPorts();
    System.setProperty("test.build.data", arguments[1]);
    OzoneConfiguration conf = new OzoneConfiguration();
    conf.set("ozone.replication", "1");
    conf.set("ozone.server.default.replication", "1");
    conf.set("ozone.s3g.http-address", "127.0.0.1:" + arguments[0]);
    conf.set("ozone.s3g.webadmin.http-address", "127.0.0.1:0");
    // Its port is the same for all, and the gateway does not use it.
    conf.setBoolean("ozone.om.s3.grpc.server_enabled", false);
    MiniOzoneCluster cluster = MiniOzoneCluster.newBuilder(conf).setNumDatanodes(1).build();
    cluster.waitForClusterToBeReady();
    OzoneConfigurationHolder.setConfiguration(cluster.getConf());
    new Gateway().execute(new String[0]);
  }

  /**
   * A cluster takes one port after the other, whether it is free or not. So each process has a
   * hundred of its own, the first of which it holds to its end.
   */
  private static void holdPorts() throws IOException {
    for (int port = PortAllocator.MIN_PORT; port < PortAllocator.MAX_PORT; port += 100) {
      try {
        new ServerSocket(port);
        PortAllocator.NEXT_PORT.set(port + 1);
        return;
      } catch (BindException e) {
        // Another process has these.
        System.out.println(port + ": " + e.getMessage());
      }
    }
    throw new IOException("each port from " + PortAllocator.MIN_PORT + " on is taken");
  }
}
