package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.recordstore.LogRecords;
import java.io.IOException;

/** Records whose entries seem to be written by another process. */
public final class Posing extends ForwardingRecords {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ProcessIdentity process;

  public Posing(LogRecords records, ProcessIdentity process) {
    super(records);
    this.process = requireNonNull(process, "process");
  }

  @Override
  public boolean putIfAbsent(String name, byte[] document) throws IOException {
    if (!name.matches("log/_\\d+")) {
      return super.putIfAbsent(name, document);
    }
    ObjectNode root = (ObjectNode) JSON.readTree(document);
    ObjectNode executor = (ObjectNode) root.at("/content/entry/executor");
    executor.put("host", process.host());
    executor.put("pid", process.pid());
    executor.put("started", process.started().toString());
    return super.putIfAbsent(name, JSON.writeValueAsBytes(root));
  }
}
