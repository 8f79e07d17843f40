package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Writes a file of 5 GiB, in a process of its own, to a store that reads and keeps nothing. */
final class LongFile {
  static final long LENGTH = 5L << 30;
  static final long PART_SIZE = 1 << 20;
  private static final long MEMORY_LIMIT = 16 << 20;

  private LongFile() {}

  static String line(UploadedPart part) {
    return part.number() + " " + part.size();
  }

  /** Takes the directory for what does not fit into memory; prints each part. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    // Logs go there.
    System.setOut(System.err);
    Configuration conf = new Configuration();
    conf.set("zerorename.upload.spill.dirs", arguments[0]);
    UploadSettings settings =
        new UploadSettings(
            PART_SIZE,
            4,
            4,
            new Buffering(MEMORY_LIMIT, Long.MAX_VALUE, SpillDirectories.from(conf)),
            1 << 20,
            InlineSettings.none());
    try (MultipartUploads uploads =
        new MultipartUploads(path -> store(), () -> {}, "job", "attempt_0", settings)) {
      UploadStream stream = uploads.open(new Path("s3a://bucket/long"));
      byte[] chunk = new byte[1 << 16];
      for (long written = 0; written < LENGTH; written += chunk.length) {
        stream.write(chunk);
      }
      stream.close();
      ((PendingUpload) stream.file()).parts().forEach(part -> out.println(line(part)));
    }
    out.println("done");
  }

  private static ObjectStore store() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            LongFile.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "createUpload" -> "upload";
                  case "uploadPart" -> read((int) arguments[2], (RepeatableBody) arguments[3]);
                  default -> throw new AssertionError("unexpected: " + method);
                });
  }

  private static UploadedPart read(int number, RepeatableBody body) throws IOException {
    long length = 0;
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = body.open()) {
      for (int now = in.read(buffer); now >= 0; now = in.read(buffer)) {
        length += now;
      }
    }
    if (length != body.length()) {
      throw new IOException("part " + number + " has " + length + " bytes, not " + body.length());
    }
    return new UploadedPart(number, "etag", length);
  }
}
