package io.zerorename.hive.metastore;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.common.FileUtils;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.GetPartitionsFilterSpec;
import org.apache.hadoop.hive.metastore.api.GetPartitionsRequest;
import org.apache.hadoop.hive.metastore.api.GetProjectionsSpec;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.PartitionFilterMode;
import org.apache.hadoop.hive.metastore.api.PartitionSpec;
import org.apache.hadoop.hive.metastore.api.PartitionWithoutSD;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.thrift.TException;

/**
 * Finds partitions that are not where their table's location and their values say. Hive reads them
 * at their own locations and nowhere else, and its MoveTask puts there what an INSERT writes.
 */
public record PartitionLocations(Hive hive, Table table, List<String> columns) {
  public PartitionLocations(Hive hive, Table table) {
    this(hive, table, table.getPartitionKeys().stream().map(FieldSchema::getName).toList());
  }

  /** A partition's values and its location. */
  private record Located(List<String> values, Path location) {}

  /**
   * The partitions that are not at their default place, the location of each by that place. One
   * request to the metastore, which answers with nothing but values and locations.
   *
   * @param first values of the first columns, by which the metastore chooses; none for all. It
   *     compares beginnings of names, and may also answer with others.
   */
  public Map<Path, Path> custom(List<String> first) throws HiveException, TException {
    Map<Path, Path> custom = new TreeMap<>();
    for (Located partition : of(first)) {
      Path place =
          new Path(table.getDataLocation(), FileUtils.makePartName(columns, partition.values()));
      if (!partition.location().equals(place)) {
        custom.put(place, partition.location());
      }
    }
    return custom;
  }

  /** How many partitions the table has. One request to the metastore. */
  public int count() throws TException {
    return hive.getMSC()
        .getNumPartitionsByFilter(table.getCatName(), table.getDbName(), table.getTableName(), "");
  }

  /** Where the table's partitions are. One request to the metastore. */
  public Set<Path> locations() throws HiveException, TException {
    return of(List.of()).stream().map(Located::location).collect(Collectors.toSet());
  }

  /** The partitions that are at locations; no request to the metastore where none is given. */
  List<org.apache.hadoop.hive.ql.metadata.Partition> allAt(Collection<Path> locations)
      throws HiveException, TException {
    if (locations.isEmpty()) {
      return List.of();
    }
    return hive.getPartitionsByNames(
        table,
        of(List.of()).stream()
            .filter(partition -> locations.contains(partition.location()))
            .map(partition -> FileUtils.makePartName(columns, partition.values()))
            .toList());
  }

  private List<Located> of(List<String> first) throws HiveException, TException {
    GetPartitionsFilterSpec filter = new GetPartitionsFilterSpec();
    if (!first.isEmpty()) {
      filter.setFilterMode(PartitionFilterMode.BY_VALUES);
      filter.setFilters(first);
    }
    GetProjectionsSpec projection = new GetProjectionsSpec();
    projection.setFieldList(List.of("values", "sd.location"));
    GetPartitionsRequest request = new GetPartitionsRequest();
    request.setCatName(table.getCatName());
    request.setDbName(table.getDbName());
    request.setTblName(table.getTableName());
    request.setProjectionSpec(projection);
    request.setFilterSpec(filter);
    List<Located> partitions = new ArrayList<>();
    for (PartitionSpec spec : hive.getMSC().getPartitionsWithSpecs(request).getPartitionSpec()) {
      // The metastore answers with one list of the partitions below the table's location and with
      // another of those that are elsewhere.
      if (spec.isSetPartitionList()) {
        for (Partition partition : spec.getPartitionList().getPartitions()) {
          partitions.add(
              new Located(partition.getValues(), new Path(partition.getSd().getLocation())));
        }
      }
      if (spec.isSetSharedSDPartitionSpec()) {
        String root = spec.getSharedSDPartitionSpec().getSd().getLocation();
        for (PartitionWithoutSD partition : spec.getSharedSDPartitionSpec().getPartitions()) {
          partitions.add(
              new Located(partition.getValues(), new Path(root + partition.getRelativePath())));
        }
      }
    }
    return partitions;
  }
}
