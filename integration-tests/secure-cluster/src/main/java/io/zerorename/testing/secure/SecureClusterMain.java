package io.zerorename.testing.secure;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A KDC, two file systems of HDFS and, if asked for, a YARN, all with Kerberos. Every line of the
 * input is a command of {@code hadoop fs} of one user, who logs in from the user's own keytab.
 */
final class SecureClusterMain {
  private static final Logger LOG = LoggerFactory.getLogger(SecureClusterMain.class);

  /** What its last line of output before the first command is. */
  static final String READY = "ready";

  /** Before the exit code, in the last line of output of a command. */
  static final String EXIT = "exit ";

  static final String SITE = "site.xml";

  /** The same for the daemons. */
  private static final String DAEMONS_SITE = "daemons-site.xml";

  static final String KRB5 = "krb5.conf";

  /** Between the words of a command. */
  static final String TAB = "\t";

  private static final String HDFS = "hadoop/localhost";
  private static final String WEB = "HTTP/localhost";

  private final File home;
  private final MiniKdc kdc;
  private final PrintStream out = System.out;

  private SecureClusterMain(File home, MiniKdc kdc) {
    this.home = home;
    this.kdc = kdc;
  }

  /** The directory of all files, whether there is a YARN, then the users. */
  public static void main(String[] arguments) {
    try {
      File home = new File(arguments[0]);
      MiniKdc kdc = new MiniKdc(MiniKdc.createConf(), home);
      kdc.start();
      Files.copy(kdc.getKrb5conf().toPath(), new File(home, KRB5).toPath());
      new SecureClusterMain(home, kdc)
          .run(
              Boolean.parseBoolean(arguments[1]),
              Arrays.asList(arguments).subList(2, arguments.length));
    } catch (Throwable e) {
      LOG.error("The cluster does not run", e);
    } finally {
      // Not every thread of Hadoop's and of the KDC's is a daemon.
      Runtime.getRuntime().halt(0);
    }
  }

  private void run(boolean withYarn, List<String> users) throws Exception {
    kdc.createPrincipal(keytab("hadoop"), HDFS, WEB);
    for (String user : users) {
      kdc.createPrincipal(keytab(SecureCluster.shortName(user)), user);
    }
    Configuration conf = secure();
    // Some of YARN's code has no configuration but that of files on the class path.
    write(conf, DAEMONS_SITE);
    Configuration.addDefaultResource(DAEMONS_SITE);
    UserGroupInformation.setConfiguration(conf);
    UserGroupInformation.loginUserFromKeytab(principal(HDFS), keytab("hadoop").getPath());
    MiniDFSCluster hdfs = start("hdfs", conf);
    MiniDFSCluster other = start("other", conf);
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, hdfs.getURI().toString());
    conf.set(SecureCluster.OTHER, other.getURI().toString());
    write(withYarn ? startYarn(conf) : conf, SITE);
    // After YARN, which makes some of them anew.
    makeDirectories(hdfs.getFileSystem(), users);
    makeDirectories(other.getFileSystem(), users);
    out.println(READY);
    serve(conf);
  }

  private File keytab(String user) {
    return new File(home, user + ".keytab");
  }

  private String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  /**
   * What an administrator sets for Kerberos, and that the ports of a test need not be privileged.
   */
  private Configuration secure() {
    Configuration conf = new HdfsConfiguration();
    conf.set("hadoop.security.authentication", "kerberos");
    conf.set("hadoop.security.authorization", "true");
    for (String daemon : List.of("dfs.namenode", "dfs.datanode")) {
      conf.set(daemon + ".kerberos.principal", principal(HDFS));
      conf.set(daemon + ".keytab.file", keytab("hadoop").getPath());
    }
    for (String daemon :
        List.of("yarn.resourcemanager", "yarn.nodemanager", "mapreduce.jobhistory")) {
      conf.set(daemon + ".principal", principal(HDFS));
      conf.set(daemon + ".keytab", keytab("hadoop").getPath());
    }
    conf.set("dfs.web.authentication.kerberos.principal", principal(WEB));
    conf.set("dfs.web.authentication.kerberos.keytab", keytab("hadoop").getPath());
    conf.set("dfs.block.access.token.enable", "true");
    conf.set("dfs.data.transfer.protection", "authentication");
    conf.set("ignore.secure.ports.for.testing", "true");
    conf.set("dfs.namenode.delegation.token.always-use", "true");
    conf.set("hadoop.proxyuser.hive.hosts", "*");
    conf.set("hadoop.proxyuser.hive.users", "alice,bob");
    // No group of the machine matters.
    conf.set("hadoop.user.group.static.mapping.overrides", "alice=users;bob=users;hive=hive");
    SecureCluster.yarnSettings().forEach(conf::set);
    return conf;
  }

  private MiniDFSCluster start(String name, Configuration conf) throws IOException {
    return new MiniDFSCluster.Builder(new Configuration(conf), new File(home, name)).build();
  }

  private static Configuration startYarn(Configuration conf) {
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("secure");
    yarn.init(conf);
    yarn.start();
    Configuration site = new Configuration(yarn.getConfig());
    // It opens all permissions of HDFS.
    site.set("fs.permissions.umask-mode", "022");
    return site;
  }

  /** As on a cluster: a home of each user, and /tmp for all. */
  private static void makeDirectories(FileSystem hdfs, List<String> users) throws IOException {
    FsPermission all = new FsPermission((short) 01777);
    make(hdfs, "/", "hadoop", new FsPermission((short) 0755));
    make(hdfs, "/tmp", "hadoop", all);
    make(hdfs, "/history", "hadoop", all);
    make(hdfs, "/user", "hadoop", new FsPermission((short) 0755));
    for (String user : users) {
      String name = SecureCluster.shortName(user);
      make(hdfs, "/user/" + name, name, new FsPermission((short) 0700));
    }
  }

  private static void make(FileSystem hdfs, String path, String owner, FsPermission permission)
      throws IOException {
    hdfs.mkdirs(new Path(path));
    hdfs.setPermission(new Path(path), permission);
    hdfs.setOwner(new Path(path), owner, "users");
  }

  /** All that is not a default, as the site files of a cluster have it. */
  private void write(Configuration conf, String name) throws IOException {
    Configuration site = new Configuration(false);
    for (Map.Entry<String, String> setting : conf) {
      String[] sources = conf.getPropertySources(setting.getKey());
      if (!sources[sources.length - 1].endsWith("-default.xml")) {
        site.set(setting.getKey(), conf.get(setting.getKey()));
      }
    }
    try (OutputStream file = new FileOutputStream(new File(home, name))) {
      site.writeXml(file);
    }
  }

  private void serve(Configuration conf) throws IOException, InterruptedException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    String line;
    while ((line = in.readLine()) != null) {
      String[] words = line.split(TAB, -1);
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      PrintStream err = System.err;
      int code;
      try (PrintStream both = new PrintStream(text, true, UTF_8)) {
        System.setOut(both);
        System.setErr(both);
        code = run(conf, words[0], Arrays.copyOfRange(words, 1, words.length));
      } finally {
        System.setOut(out);
        System.setErr(err);
      }
      text.toString(UTF_8).lines().forEach(out::println);
      out.println(EXIT + code);
    }
  }

  private int run(Configuration conf, String user, String[] command)
      throws IOException, InterruptedException {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
            principal(user), keytab(SecureCluster.shortName(user)).getPath())
        .doAs(
            (PrivilegedExceptionAction<Integer>)
                () -> ToolRunner.run(new Configuration(conf), new FsShell(), command));
  }
}
