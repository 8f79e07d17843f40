package io.zerorename.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.functional.TaskPool;

/** A JVM that uploads and does nothing else, so that its processor time and memory are that. */
final class UploadProcess {
  private static final int BLOCK = 1 << 20;
  private static final long WARM_UP_BYTES = 160L << 20;

  private final org.apache.hadoop.fs.Path directory;
  private final UploadSubject.Destination destination;
  private final byte[] block = new byte[BLOCK];

  private UploadProcess(UploadSubject subject, String directory, Configuration conf)
      throws IOException {
    this.directory = new org.apache.hadoop.fs.Path(directory);
    this.destination = subject.open(this.directory, conf);
    new Random(1).nextBytes(block);
  }

  /**
   * Uploads at a line on standard input, and answers with one: seconds, seconds of processor time,
   * and the peaks of live heap and direct buffers, in bytes.
   *
   * @param arguments subject, directory on S3A, local directory for buffers, streams, bytes of each
   *     stream, bytes to warm up with, then settings as {@code name=value}
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    Configuration conf = new Configuration();
    for (String setting : List.of(arguments).subList(6, arguments.length)) {
      String[] words = setting.split("=", 2);
      conf.set(words[0], words[1]);
    }
    conf.set("fs.s3a.buffer.dir", arguments[2]);
    conf.set("hadoop.tmp.dir", Path.of(arguments[2], "hadoop").toString());
    UploadProcess process =
        new UploadProcess(UploadSubject.valueOf(arguments[0]), arguments[1], conf);
    int streams = Integer.parseInt(arguments[3]);
    long bytes = Long.parseLong(arguments[4]);
    process.upload("warm-up", 1, Long.parseLong(arguments[5]));
    System.gc();
    answers.println("ready");
    if (System.in.read() < 0) {
      return;
    }
    answers.println(process.measure(streams, bytes));
    answers.flush();
    Runtime.getRuntime().halt(0);
  }

  /** How much a process uploads before it is measured. */
  static long warmUpBytes(long measuredBytes) {
    return Math.min(WARM_UP_BYTES, measuredBytes);
  }

  private String measure(int streams, long bytes) throws IOException {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    MemoryPeaks peaks = MemoryPeaks.watch();
    long processor = system.getProcessCpuTime();
    long start = System.nanoTime();
    upload("measured", streams, bytes);
    double seconds = (System.nanoTime() - start) / 1e9;
    double processorSeconds = (system.getProcessCpuTime() - processor) / 1e9;
    return String.format(
        Locale.ROOT, "measured %f %f %d", seconds, processorSeconds, peaks.live + peaks.direct);
  }

  private void upload(String name, int streams, long bytes) throws IOException {
    ExecutorService pool = Executors.newFixedThreadPool(streams);
    try {
      TaskPool.foreach(IntStream.range(0, streams).boxed().toList())
          .executeWith(pool::submit)
          .sleepInterval(1)
          .run(i -> upload(new org.apache.hadoop.fs.Path(directory, name + "-" + i), bytes));
    } finally {
      pool.shutdown();
    }
  }

  private void upload(org.apache.hadoop.fs.Path file, long bytes) throws IOException {
    destination.write(
        file,
        out -> {
          for (long left = bytes; left > 0; left -= BLOCK) {
            out.write(block, 0, (int) Math.min(left, BLOCK));
          }
        });
  }
}
