package io.zerorename.testing.s3server;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

/** Lets clients speak HTTPS to a server that speaks HTTP, with a certificate for localhost. */
final class TlsFront implements Closeable {
  static final String PASSWORD = "secret";

  private final Path keys;
  private final URI server;
  private final SSLContext context;
  private final SSLServerSocket listener;

  private TlsFront(Path keys, URI server) throws IOException, GeneralSecurityException {
    this.keys = keys;
    this.server = server;
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = new FileInputStream(keys.toFile())) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(store);
    context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    listener =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  static TlsFront start(Path directory, URI server) throws Exception {
    Path keys = directory.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "localhost",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                keys.toString())
            .inheritIO()
            .start();
    if (!keytool.waitFor(1, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
      throw new IOException("keytool made no certificate");
    }
    TlsFront front = new TlsFront(keys, server);
    daemon(front::accept);
    return front;
  }

  URI endpoint(String host) {
    return URI.create("https://" + host + ":" + listener.getLocalPort());
  }

  /** Trusts its certificate. */
  SSLContext context() {
    return context;
  }

  /** A store with its certificate. */
  Path keys() {
    return keys;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket backend = new Socket(server.getHost(), server.getPort());
        daemon(() -> pump(client, backend));
        daemon(() -> pump(backend, client));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  /** Ends when either side closes, as clients and servers do. */
  private static void pump(Socket from, Socket to) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      from.getInputStream().transferTo(out);
    } catch (IOException e) {
      // The other direction has closed the sockets.
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "tls-front");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
