package io.zerorename.testing.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.zerorename.testing.net.Mishap.CutAnswer;
import io.zerorename.testing.net.Mishap.Delay;
import io.zerorename.testing.net.Mishap.Drop;
import io.zerorename.testing.net.Mishap.RepeatAnswer;
import io.zerorename.testing.net.Mishap.Reset;
import io.zerorename.testing.net.Mishap.ResetAnswer;
import io.zerorename.testing.net.Mishap.SwallowAnswer;
import io.zerorename.testing.net.MishapRule.Exchange;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's connection and ours to the server, with a thread for each direction. */
final class LossyConnection implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LossyConnection.class);
  private static final int CHUNK = 64 * 1024;

  private final LossyProxy proxy;
  private final int number;
  private final Socket client;
  private final Socket server;

  // Guarded by this.
  private int exchanges;
  private boolean answering = true;
  private Mishap mishap;
  private long answered;
  private final ByteArrayOutputStream toRepeat = new ByteArrayOutputStream();

  LossyConnection(LossyProxy proxy, int number, Socket client, Socket server) {
    this.proxy = proxy;
    this.number = number;
    this.client = client;
    this.server = server;
  }

  void start() {
    LossyProxy.startThread("lossy-proxy-" + number + "-requests", this::requests);
  }

  synchronized boolean inMotion() {
    return !answering;
  }

  @Override
  public void close() {
    close(false);
  }

  private void requests() {
    try {
      server.connect(proxy.server());
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      LossyProxy.startThread("lossy-proxy-" + number + "-answers", this::answers);
      InputStream in = client.getInputStream();
      byte[] chunk = new byte[CHUNK];
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        if (!passes(chunk, read)) {
          close();
          return;
        }
        server.getOutputStream().write(chunk, 0, read);
      }
      server.shutdownOutput();
    } catch (IOException e) {
      ended(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private void answers() {
    try {
      InputStream in = server.getInputStream();
      byte[] chunk = new byte[CHUNK];
      boolean open = true;
      for (int read = in.read(chunk); open && read >= 0; read = open ? in.read(chunk) : -1) {
        open = answer(chunk, read);
      }
      if (open) {
        client.shutdownOutput();
        close();
      }
    } catch (IOException e) {
      ended(e);
    } finally {
      proxy.ended(this);
    }
  }

  /** Whether bytes of the client go on to the server, after what befalls their exchange. */
  private boolean passes(byte[] chunk, int length) throws IOException, InterruptedException {
    Mishap striking;
    synchronized (this) {
      if (!answering) {
        return true;
      }
      answering = false;
      answered = 0;
      exchanges++;
      client.getOutputStream().write(toRepeat.toByteArray());
      toRepeat.reset();
      String text = new String(chunk, 0, length, ISO_8859_1);
      mishap = proxy.begins(new Exchange(number, exchanges, text)).orElse(null);
      striking = mishap;
    }
    if (striking instanceof Drop || striking instanceof Reset) {
      close(striking instanceof Reset);
      return false;
    }
    return !(striking instanceof Delay delay) || proxy.pause(delay.time());
  }

  /** Returns whether the connection stays open. */
  private synchronized boolean answer(byte[] chunk, int length) throws IOException {
    answering = true;
    if (mishap instanceof SwallowAnswer) {
      return true;
    }
    if (mishap instanceof CutAnswer cut) {
      return cut(chunk, length, cut.afterBytes(), false);
    }
    if (mishap instanceof ResetAnswer cut) {
      return cut(chunk, length, cut.afterBytes(), true);
    }
    if (mishap instanceof RepeatAnswer) {
      toRepeat.write(chunk, 0, length);
    }
    client.getOutputStream().write(chunk, 0, length);
    return true;
  }

  private boolean cut(byte[] chunk, int length, long afterBytes, boolean reset) throws IOException {
    int passed = (int) Math.min(length, afterBytes - answered);
    client.getOutputStream().write(chunk, 0, passed);
    answered += passed;
    if (answered < afterBytes) {
      return true;
    }
    close(reset);
    return false;
  }

  /** Whoever of the two waits for the other sees this too. */
  private void ended(IOException cause) {
    LOG.debug("connection {} ended", number, cause);
    close();
  }

  private void close(boolean reset) {
    try (server;
        client) {
      if (reset && !client.isClosed()) {
        client.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      LOG.debug("connection {} did not close cleanly", number, e);
    }
    proxy.ended(this);
  }
}
