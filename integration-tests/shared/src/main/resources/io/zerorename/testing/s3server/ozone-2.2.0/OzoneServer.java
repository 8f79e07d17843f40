import org.apache.hadoop.hdds.conf.OzoneConfiguration;
import org.apache.hadoop.ozone.MiniOzoneCluster;
import org.apache.hadoop.ozone.s3.Gateway;
import org.apache.hadoop.ozone.s3.OzoneConfigurationHolder;

/** A cluster and its S3 gateway: {@code java -cp lib/* OzoneServer.java PORT DIRECTORY}. */
final class OzoneServer {
  private OzoneServer() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty("test.build.data", arguments[1]);
    OzoneConfiguration conf = new OzoneConfiguration();
    conf.set("ozone.replication", "1");
    conf.set("ozone.server.default.replication", "1");
    conf.set("ozone.s3g.http-address", "127.0.0.1:" + arguments[0]);
    conf.set("ozone.s3g.webadmin.http-address", "127.0.0.1:0");
    MiniOzoneCluster cluster = MiniOzoneCluster.newBuilder(conf).setNumDatanodes(1).build();
    cluster.waitForClusterToBeReady();
    OzoneConfigurationHolder.setConfiguration(cluster.getConf());
    new Gateway().execute(new String[0]);
  }
}
