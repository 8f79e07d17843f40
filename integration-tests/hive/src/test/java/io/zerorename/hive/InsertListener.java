package io.zerorename.hive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.metastore.MetaStoreEventListener;
import org.apache.hadoop.hive.metastore.api.MetaException;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.events.AddPartitionEvent;
import org.apache.hadoop.hive.metastore.events.InsertEvent;
import org.apache.hadoop.hive.ql.metadata.Hive;

/** Notes what the metastore tells its listeners of rows that were inserted. */
public final class InsertListener extends MetaStoreEventListener {
  private static final List<Told> TOLD = new ArrayList<>();
  private static volatile boolean fails;

  /**
   * What it was told.
   *
   * @param partition the values of one, or none; of new partitions all of an event
   * @param files without the table's location and the part of the name that differs between jobs
   * @param missing files that were not there when it was told
   */
  record Told(
      String what,
      List<String> partition,
      boolean replace,
      List<String> files,
      List<String> checksums,
      List<String> missing) {}

  /** For the metastore. */
  public InsertListener(Configuration configuration) {
    super(configuration);
  }

  /** Makes the session's metastore tell it, and Hive the metastore. */
  static void install(HiveOnS3 s3) {
    s3.hive().set("hive.metastore.transactional.event.listeners", InsertListener.class.getName());
    s3.hive().set("hive.metastore.dml.events", "true");
    // The next statement makes a client, and with it a metastore, of the new settings.
    Hive.closeCurrent();
    TOLD.clear();
    fails = false;
  }

  /** Lets it fail when it is told of an insert next. */
  static void failOnce() {
    fails = true;
  }

  /** What it was told since, sorted. */
  static List<Told> told() {
    List<Told> told = TOLD.stream().sorted(Comparator.comparing(Told::toString)).toList();
    TOLD.clear();
    return told;
  }

  @Override
  public void onInsert(InsertEvent event) throws MetaException {
    if (fails) {
      fails = false;
      throw new MetaException("this listener fails");
    }
    String root = event.getTableObj().getSd().getLocation();
    List<String> files = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String file : event.getFiles()) {
      files.add(
          file.replace(root, "")
              .replaceFirst("\\.[-0-9a-f]{36}", "")
              .replaceFirst("_copy_[0-9]+", ""));
      if (!isThere(new Path(file))) {
        missing.add(file);
      }
    }
    Partition partition = event.getPartitionObj();
    TOLD.add(
        new Told(
            "INSERT",
            partition == null ? List.of() : partition.getValues(),
            event.isReplace(),
            files.stream().sorted().toList(),
            List.copyOf(event.getFileChecksums()),
            missing));
  }

  private boolean isThere(Path file) {
    try {
      return file.getFileSystem(getConf()).exists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void onAddPartition(AddPartitionEvent event) {
    TreeSet<String> names = new TreeSet<>();
    event.getPartitionIterator().forEachRemaining(it -> names.add(it.getValues().toString()));
    TOLD.add(new Told("ADD", List.copyOf(names), false, List.of(), List.of(), List.of()));
  }
}
