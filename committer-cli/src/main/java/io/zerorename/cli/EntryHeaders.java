package io.zerorename.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.LoggedJob;
import io.zerorename.core.store.ErrorText;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** What entries of commit logs say, without the files of their plans. */
record EntryHeaders(LogSearch logs) {
  /** A JSON document of the entries of some destinations. One request for each entry. */
  String json(List<DestinationStatus> destinations) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ArrayNode entries = mapper.createArrayNode();
    for (DestinationStatus status : destinations) {
      for (LoggedJob job : status.jobs()) {
        ObjectNode node =
            entries
                .addObject()
                .put("destination", status.destination().toString())
                .put("log", status.log().toString())
                .put("job", job.id())
                .put("state", job.state().text())
                .put("when", job.when().toString());
        job.totals()
            .ifPresent(
                totals ->
                    node.put("files", totals.files())
                        .put("bytes", totals.bytes())
                        .put("replaced", totals.replaced())
                        .put("lost", totals.lost().size()));
        job.problem().ifPresent(problem -> node.put("problem", problem));
        if (job.number().isPresent() && job.problem().isEmpty()) {
          read(status.log(), job.number().getAsLong(), node);
        }
      }
    }
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(entries) + "\n";
  }

  private void read(Path log, long number, ObjectNode node) {
    try {
      logs.at(log).read(number).ifPresent(entry -> describe(entry, node));
    } catch (IOException e) {
      node.put("problem", ErrorText.of(e));
    }
  }

  private static void describe(LogEntry entry, ObjectNode node) {
    node.put("entry", entry.number())
        .put("kind", entry.kind().name())
        .put("description", entry.job().description())
        .put("executor", entry.executor().toString())
        .put("lowest", entry.lowest())
        .put("chunks", entry.chunks().size())
        .put("leaseEnd", entry.leaseEnd().map(Object::toString).orElse(null));
    add("scope", entry.scope(), node);
    add("replaces", entry.replaces(), node);
    add("follows", entry.follows(), node);
  }

  private static void add(String name, Collection<?> values, ObjectNode node) {
    ArrayNode array = node.putArray(name);
    values.forEach(value -> array.add(value.toString()));
  }
}
