package io.zerorename.hive.matrix;

import io.zerorename.hive.HiveOnS3;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The tables of a local disk that the shapes read. */
final class Sources {
  private static final List<String> FEW =
      List.of("1,a,p1,10", "2,b,p2,20", "3,\\N,p3,10", "4,d,p1,20", "5,e,p2,10", "6,f,p1,20");
  private static final List<String> ODD =
      List.of("1,a,ü/%:3", "2,b,\\N", "3,c,x y", "4,d,s=1", "5,e,", "6,f,{a}#[b]'\"^?*");
  private static final int MANY = 50;

  private Sources() {}

  static Path directory(HiveOnS3 s3) {
    return s3.hive().directory().resolve("matrix");
  }

  /** Makes them, unless they are there. */
  static void create(HiveOnS3 s3) throws Exception {
    s3.withoutCommitter();
    s3.hive().execute("create database if not exists src");
    table(s3, "few", "a int, b string, p string, q int", FEW);
    table(s3, "odd", "a int, b string, p string", ODD);
    table(s3, "nothing", "a int, b string, p string", List.of());
    table(
        s3,
        "many",
        "a int, p int",
        IntStream.range(0, MANY).mapToObj(number -> number + "," + number).toList());
    Files.write(directory(s3).resolve("load.txt"), List.of("1,a", "2,b", "3,c"));
  }

  private static void table(HiveOnS3 s3, String name, String columns, List<String> rows)
      throws Exception {
    Path directory = directory(s3).resolve(name);
    Files.createDirectories(directory);
    Files.write(directory.resolve("rows.txt"), rows);
    s3.hive()
        .execute(
            "create external table if not exists src."
                + name
                + " ("
                + columns
                + ") row format delimited fields terminated by ',' stored as textfile location '"
                + directory.toUri()
                + "'");
  }
}
