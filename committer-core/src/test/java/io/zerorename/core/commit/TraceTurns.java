package io.zerorename.core.commit;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.store.ObjectKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * The order of a history of the model. A process goes on until it makes the call that its next move
 * stands for. A move that the code does not make is left out: that is what the rule is for which
 * the history lacks. When the moves are over, the processes go on one after the other.
 */
final class TraceTurns implements Turns {
  private static final String ENTRY = "/log/_\\d{12}$";
  private static final String LIST_LOG = "LIST .*/log/$";

  private static final Duration DAY = Duration.ofDays(1);

  /**
   * Moves of processes, and the calls that they stand for; KEY is that of the file with the number
   * in brackets. A move that is no call of its own has none.
   */
  private static final List<String[]> CALLS =
      List.of(
          new String[] {"lists the log.*", LIST_LOG},
          new String[] {"lists old objects.*", "LIST .*/day=.*"},
          new String[] {"(?:writes entry|PUT of entry) \\d+.*", "PUT .*" + ENTRY},
          new String[] {"(?:finds entry|reads number) \\d+.*", "GET .*" + ENTRY},
          new String[] {"Complete of (?:own|followed) file (\\d+).*", "COMPLETE_UPLOAD KEY"},
          new String[] {
            "(?:own|followed) file (\\d+) is (?:there|gone)", "(COMPLETE_UPLOAD|HEAD) KEY"
          },
          new String[] {"file (\\d+) is (?:superseded|lost|absent|left).*", "HEAD KEY"},
          new String[] {"(?:the engine )?deletes \\[\\d.*", "BULK_DELETE .*/day=.*"},
          new String[] {"(?:the engine )?deletes \\[]", ""},
          new String[] {"marks the end of .*", "PUT .*[.]ended[.].*"},
          new String[] {"marks .* superseded", "PUT .*[.]ended[.]superseded[.].*"},
          new String[] {"leaves the metastore part of .*", "PUT .*[.]metastore-open[.].*"},
          new String[] {"notes that entry \\d+ is given up", "PUT .*[.]given-up[.].*"},
          new String[] {"aborts the uploads of .*", "ABORT_UPLOAD .*"},
          new String[] {"(?:does not finalize|goes on without) file \\d+", ""},
          new String[] {"entry \\d+ lost files .*", ""},
          new String[] {"the job is too old to decide: fails", ""},
          new String[] {"writes a number that was cut: .*", "PUT .*" + ENTRY},
          new String[] {"its LIST is too old: decides nothing", ""});

  private static final Pattern PROCESS = Pattern.compile("(p\\d+) (.*)");
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private final SimulatedCluster cluster;
  private final HistoryChecks checks;
  private final List<String> moves;
  private final IntFunction<String> keyOf;
  private final CompletesInProgress completing;
  private int next;
  private int made;
  private boolean delays;
  private String atWork = "";

  /**
   * @param keyOf the key of a file
   */
  TraceTurns(
      SimulatedCluster cluster, HistoryChecks checks, ModelTrace trace, IntFunction<Path> keyOf) {
    this.cluster = cluster;
    this.checks = checks;
    this.completing = new CompletesInProgress(cluster);
    this.moves = trace.moves();
    this.keyOf = number -> ObjectKeys.of(keyOf.apply(number));
  }

  /** How many moves of processes the code has made. */
  int made() {
    return made;
  }

  @Override
  public int next(List<Waiting> waiting, Interleaving processes) {
    delays = false;
    checkCompleting();
    while (next < moves.size()) {
      String move = moves.get(next);
      Matcher ofProcess = PROCESS.matcher(move);
      if (!ofProcess.matches() || isOfTheWorld(ofProcess.group(2))) {
        next++;
        happen(move, processes);
        continue;
      }
      int index = waiting.stream().map(Waiting::process).toList().indexOf(ofProcess.group(1));
      Optional<Pattern> call = callOf(move);
      if (index < 0 || call.isEmpty()) {
        next++;
        continue;
      }
      String pending = waiting.get(index).call().what();
      if (call.get().matcher(pending).matches()) {
        next++;
        made++;
        delays = move.endsWith("time-out");
        return index;
      }
      if (isLater(ofProcess.group(1), pending)) {
        next++;
        continue;
      }
      return index;
    }
    // One after the other: who sleeps longest finds all others at their end.
    List<String> names = waiting.stream().map(Waiting::process).toList();
    if (!names.contains(atWork)) {
      atWork = names.stream().sorted().findFirst().orElseThrow();
    }
    return names.indexOf(atWork);
  }

  @Override
  public Fate fate(Waiting chosen, Interleaving processes) {
    return delays ? Fate.DELAYED : Fate.MADE;
  }

  /** Whether a call is that of a later move of the process. */
  private boolean isLater(String process, String call) {
    return moves.subList(next + 1, moves.size()).stream()
        .filter(move -> move.startsWith(process + " "))
        .map(this::callOf)
        .flatMap(Optional::stream)
        .anyMatch(it -> it.matcher(call).matches());
  }

  private Optional<Pattern> callOf(String move) {
    Matcher ofProcess = PROCESS.matcher(move);
    if (!ofProcess.matches() || isOfTheWorld(ofProcess.group(2))) {
      return Optional.empty();
    }
    for (String[] known : CALLS) {
      Matcher matcher = Pattern.compile(known[0]).matcher(ofProcess.group(2));
      if (matcher.matches()) {
        String key =
            matcher.groupCount() > 0
                ? Pattern.quote(keyOf.apply(Integer.parseInt(matcher.group(1))))
                : "";
        return Optional.of(known[1])
            .filter(it -> !it.isEmpty())
            .map(it -> Pattern.compile(it.replace("KEY", key)));
      }
    }
    throw new AssertionError("a move that is not known: " + move);
  }

  private static boolean isOfTheWorld(String what) {
    return what.startsWith("another program") || what.endsWith("vanishes");
  }

  private void happen(String move, Interleaving processes) {
    Matcher numbers = NUMBER.matcher(move.replaceFirst("^p\\d+ ", ""));
    int number = numbers.find() ? Integer.parseInt(numbers.group()) : -1;
    try {
      if (move.endsWith("is cut")) {
        cut();
      } else if (move.startsWith("store: delayed Complete")) {
        completing.begin(keyOf.apply(number));
        cluster.afterTime(() -> completing.keys().forEach(key -> completing.end(key, processes)));
      } else if (move.endsWith("is joined and visible")) {
        completing.end(keyOf.apply(number), processes);
      } else if (move.startsWith("store: delayed PUT of entry")) {
        processes.takeLate(call -> call.what().matches("PUT .*" + ENTRY));
      } else if (move.contains("another program deletes")) {
        removeAll();
      } else if (move.endsWith("vanishes")) {
        cluster.store.beginCompleting(keyOf.apply(number));
      } else if (!move.startsWith("(")) {
        throw new AssertionError("a move that is not known: " + move);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void checkCompleting() {
    try {
      for (String key : completing.keys()) {
        checks.checkCompleting(key);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void cut() throws IOException {
    cluster.passTime(DAY.multipliedBy(8));
    CommitLog log = cluster.undisturbed().log();
    log.cut(CoreKeys.FEWEST_LOG_DAYS);
  }

  private void removeAll() throws IOException {
    List<String> keys =
        cluster.store.keys().stream().filter(it -> it.startsWith(SimulatedCluster.PREFIX)).toList();
    checks.foreignRemoves(keys);
    cluster.store.deleteObjects(keys);
  }
}
