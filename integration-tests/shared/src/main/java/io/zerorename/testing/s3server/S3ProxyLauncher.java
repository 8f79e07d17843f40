package io.zerorename.testing.s3server;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Main class of the child process: runs S3Proxy and ends when the parent does, however the parent
 * ends. The parent holds the other end of standard input, so end of input means that it is gone.
 *
 * <p>Runs with nothing but S3Proxy's jar and this class on the class path.
 */
final class S3ProxyLauncher {
  private S3ProxyLauncher() {}

  public static void main(String[] arguments) throws Exception {
    Thread watch = new Thread(S3ProxyLauncher::endWithParent, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    Class.forName("org.gaul.s3proxy.Main")
        .getMethod("main", String[].class)
        .invoke(null, (Object) arguments);
  }

  private static void endWithParent() {
    try {
      // The parent never writes, so this returns when it is gone.
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.err.println("standard input broke, so the parent process is gone: " + e);
    }
    Runtime.getRuntime().halt(0);
  }
}
