package io.zerorename.spark;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.document.VersionedJson;
import java.io.IOException;

/**
 * The message of a committed task to the driver. It travels as bytes, which every serializer of
 * Spark can send.
 *
 * @param first whether no other attempt of the task was begun before
 * @param manifest the uploads of the task
 */
record TaskMessage(boolean first, TaskManifest manifest) {
  private static final VersionedJson JSON =
      new VersionedJson(
          "commit message of a Spark task",
          3,
          "Driver and executors have different versions of the committer's jar.");

  TaskMessage {
    requireNonNull(manifest, "manifest");
  }

  byte[] toBytes() throws IOException {
    return JSON.write(this);
  }

  /**
   * Reads what {@link #toBytes} wrote.
   *
   * @throws IOException if it is of another version
   */
  static TaskMessage of(byte[] document) throws IOException {
    return JSON.read(document, "a task's commit message", TaskMessage.class);
  }
}
