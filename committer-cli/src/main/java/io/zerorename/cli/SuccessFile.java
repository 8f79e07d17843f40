package io.zerorename.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.CharConversionException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * What the {@code _SUCCESS} of a job says.
 *
 * @param zerorenameJobId the job's id in the commit log
 * @param objects as the job has written them; not all, where they are many
 */
record SuccessFile(String zerorenameJobId, Map<String, Long> metrics, List<WrittenObject> objects) {
  static final String NAME = "_SUCCESS";

  private static final ObjectMapper MAPPER =
      new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

  SuccessFile {
    metrics = metrics == null ? Map.of() : metrics;
    objects = objects == null ? List.of() : objects;
  }

  /**
   * An object as its job has written it.
   *
   * @param identity in its metadata
   */
  record WrittenObject(String path, long size, String identity) {}

  /**
   * Reads that of a destination.
   *
   * @throws InputException if there is none, or it is not the committer's
   */
  static SuccessFile read(Path destination, ObjectStores stores) throws IOException {
    Path path = new Path(destination, NAME);
    try {
      byte[] content = stores.forPath(path).getObject(ObjectKeys.of(path));
      if (content.length == 0) {
        throw notOurs(path, "it is empty, as Hadoop's own committer writes it");
      }
      SuccessFile read = MAPPER.readValue(content, SuccessFile.class);
      if (read == null || read.zerorenameJobId == null) {
        throw notOurs(path, "it has no zerorenameJobId");
      }
      return read;
    } catch (JsonProcessingException | CharConversionException e) {
      throw notOurs(path, "it is not JSON: " + e.getMessage());
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NOT_FOUND) {
        throw e;
      }
      throw new InputException(
          "ZR-9501: %s does not exist; INSERTs of Hive leave none, so name the destination of a job of MapReduce or Spark"
              .formatted(path),
          e);
    }
  }

  private static InputException notOurs(Path path, String reason) {
    return new InputException(
        "ZR-9503: %s is not of a job of the zero-rename committer: %s; name another destination"
            .formatted(path, reason));
  }
}
