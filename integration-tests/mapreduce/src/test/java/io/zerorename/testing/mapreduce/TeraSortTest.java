package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Hadoop's own benchmark, from generated to sorted to validated, with all of it on S3. */
@ExtendWith(ClusterExtension.class)
@Tag("thorough")
final class TeraSortTest {
  private static final int ROWS = 5_000;
  private static final int ROW_BYTES = 100;
  private static final int KEY_BYTES = 10;

  private final MapReduceCluster cluster;

  TeraSortTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void generatedRowsAreSortedAndValidatedAndNothingIsCopied() throws Exception {
    String root = "terasort";
    RequestCounts before = cluster.s3().gateway().counts();

    run(new TeraGen(), "" + ROWS, path(root + "/generated"));
    run(new TeraSort(), path(root + "/generated"), path(root + "/sorted"));
    run(new TeraValidate(), path(root + "/sorted"), path(root + "/report"));

    byte[][] rows = rows(bytes(root + "/generated/"));
    assertThat(rows).hasDimensions(ROWS, ROW_BYTES);
    Arrays.sort(rows, (a, b) -> Arrays.compareUnsigned(a, 0, KEY_BYTES, b, 0, KEY_BYTES));
    assertThat(rows(bytes(root + "/sorted/"))).isDeepEqualTo(rows);
    // Errors would be lines of their own.
    assertThat(new String(bytes(root + "/report/"), UTF_8))
        .isEqualTo("checksum\t" + checksum(rows).toString(16) + "\n");
    assertThat(cluster.bucket().pendingUploads(root)).isEmpty();
    assertThat(cluster.s3().gateway().counts().minus(before).copies()).isZero();
  }

  private void run(Tool tool, String... arguments) throws Exception {
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    conf.setInt("mapreduce.job.maps", 2);
    conf.setInt("mapreduce.job.reduces", 2);
    // Saves the other two jobs their containers; the one that sorts has too many reduce tasks.
    conf.setBoolean("mapreduce.job.ubertask.enable", true);
    assertThat(ToolRunner.run(conf, tool, arguments))
        .as("exit code of %s", tool.getClass().getSimpleName())
        .isZero();
  }

  private String path(String key) {
    return cluster.s3a(key).toString();
  }

  /** All visible files one after the other, in the order of their names. */
  private byte[] bytes(String prefix) {
    List<String> parts =
        cluster.bucket().files(prefix).stream().filter(key -> key.contains("/part-")).toList();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    parts.forEach(key -> bytes.writeBytes(cluster.bucket().read(key)));
    return bytes.toByteArray();
  }

  private static byte[][] rows(byte[] bytes) {
    byte[][] rows = new byte[bytes.length / ROW_BYTES][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Arrays.copyOfRange(bytes, i * ROW_BYTES, (i + 1) * ROW_BYTES);
    }
    return rows;
  }

  private static BigInteger checksum(byte[][] rows) {
    BigInteger sum = BigInteger.ZERO;
    for (byte[] row : rows) {
      CRC32 crc = new CRC32();
      crc.update(row);
      sum = sum.add(BigInteger.valueOf(crc.getValue()));
    }
    return sum;
  }
}
