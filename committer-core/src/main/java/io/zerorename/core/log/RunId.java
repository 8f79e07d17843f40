package io.zerorename.core.log;

import io.zerorename.core.config.CoreKeys;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;

/**
 * One run of a statement or job at one target, as its scheduler names it. Of all jobs of a run that
 * add files, however often it is repeated, one has an entry that commits.
 *
 * @param id the user's: {@link CoreKeys#RUN_ID}
 * @param target what is written: the destination, and where a table may be dropped with its files
 *     and made again at the same place, which of these tables
 * @param statement what two jobs of a run must have in common besides, such as the text of a query;
 *     empty where nothing can be compared
 */
public record RunId(String id, String target, String statement) {
  private static final String ID = "run.id";
  private static final String TARGET = "run.target";
  private static final String STATEMENT = "run.statement";

  /**
   * The id that the user has set; empty where it is not, or names a variable that is not: a
   * scheduler sets those, and a person who runs the same script does not.
   */
  public static Optional<String> idIn(Configuration conf) {
    String id = conf.getTrimmed(CoreKeys.RUN_ID.name(), "");
    return id.isEmpty() || id.contains("${") ? Optional.empty() : Optional.of(id);
  }

  /** In the attributes of a job, if they name one. */
  static Optional<RunId> in(Map<String, String> attributes) {
    return Optional.ofNullable(attributes.get(ID))
        .map(id -> new RunId(id, attributes.get(TARGET), attributes.get(STATEMENT)));
  }

  /** These attributes and those of the run. */
  Map<String, String> with(Map<String, String> attributes) {
    Map<String, String> all = new HashMap<>(attributes);
    all.put(ID, id);
    all.put(TARGET, target);
    all.put(STATEMENT, statement);
    return all;
  }

  /** As it stands in the names of markers: the same for all jobs of the run. */
  String inName() {
    return UUID.nameUUIDFromBytes((id + "\n" + target).getBytes(StandardCharsets.UTF_8)).toString();
  }
}
