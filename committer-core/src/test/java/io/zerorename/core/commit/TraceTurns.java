package io.zerorename.core.commit;

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

  /** How a DROP calls it to ask whether its table is there again. */
  static final String IS_MADE_AGAIN = "is the table there again";

  private static final Duration DAY = Duration.ofDays(1);

  /**
   * Moves of processes, and the calls that they stand for; KEY is that of the file with the number
   * in brackets. A move that is no call of its own has none.
   */
  private static final List<String[]> CALLS =
      List.of(
          new String[] {"lists the log.*", LIST_LOG},
          new String[] {"lists old objects.*", "LIST .*/day=.*"},
          new String[] {"(?:writes entry|loses number|PUT of entry) \\d+.*", "PUT .*" + ENTRY},
          new String[] {"(?:finds entry|reads number) \\d+.*", "GET .*" + ENTRY},
          new String[] {"completes file (\\d+).*", "COMPLETE_UPLOAD KEY"},
          new String[] {"Complete of (\\d+): time-out", "COMPLETE_UPLOAD KEY"},
          new String[] {"sees file (\\d+)", "(COMPLETE_UPLOAD|HEAD) KEY"},
          new String[] {"file (\\d+) is (?:superseded|lost).*", "HEAD KEY"},
          new String[] {"deletes \\[\\d.*", "BULK_DELETE .*/day=.*"},
          new String[] {"writes ended.superseded of \\d+", "PUT .*[.]ended[.]superseded[.].*"},
          new String[] {"writes ended of \\d+.*", "PUT .*[.]ended[.].*"},
          new String[] {"aborts upload (\\d+)", "ABORT_UPLOAD KEY"},
          new String[] {"aborts uploads of job \\d+", "ABORT_UPLOAD .*"},
          new String[] {"deletes \\[]", ""},
          new String[] {"looks which partitions are still its own", LIST_LOG},
          new String[] {"registers \\d+", "add partitions"},
          new String[] {"engine lists", "LIST .*/day=.*"},
          new String[] {"engine deletes \\[\\d.*", "BULK_DELETE .*/day=.*"},
          new String[] {"engine deletes \\[].*", ""},
          new String[] {"asks whether the table is there again: .*", IS_MADE_AGAIN},
          new String[] {"file \\d+ of entry \\d+ is (?:at its end|settled.*)", ""},
          new String[] {"entry \\d+ of file \\d+ is cut: .*", ""},
          new String[] {"leaves all of \\d+ to the operator", ""},
          new String[] {"entry is cut: stops", ""},
          new String[] {"job is too old to decide: fails", ""},
          new String[] {"writes at the deleted number .*", "PUT .*" + ENTRY},
          new String[] {"its LIST is too old to write entry \\d+: decides nothing", ""});

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
    return what.startsWith("foreign writer") || what.endsWith("vanishes");
  }

  private void happen(String move, Interleaving processes) {
    Matcher numbers = NUMBER.matcher(move.replaceFirst("^p\\d+ ", ""));
    int number = numbers.find() ? Integer.parseInt(numbers.group()) : -1;
    try {
      if (move.startsWith("clock: LIST")) {
        cluster.passTime(DAY.plusHours(1));
      } else if (move.endsWith("is cut")) {
        cut();
      } else if (move.endsWith("begins to join")) {
        completing.begin(keyOf.apply(number));
        cluster.afterTime(() -> completing.keys().forEach(key -> completing.end(key, processes)));
      } else if (move.endsWith("is joined and visible")) {
        completing.end(keyOf.apply(number), processes);
      } else if (move.contains("delayed PUT of entry")) {
        processes.takeLate(call -> call.what().matches("PUT .*" + ENTRY));
      } else if (move.contains("foreign writer deletes everything")) {
        removeAll();
      } else if (move.endsWith("vanishes")) {
        String key = keyOf.apply(number);
        cluster.store.beginCompleting(key);
      } else if (!move.startsWith("(")) {
        throw new AssertionError("a move that is not known: " + move);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void cut() throws IOException {
    cluster.passTime(DAY.multipliedBy(8));
    CommitLog log = cluster.undisturbed().log();
    log.cut(log.now().minus(DAY.multipliedBy(7)));
  }

  private void removeAll() throws IOException {
    List<String> keys =
        cluster.store.keys().stream().filter(it -> it.startsWith(SimulatedCluster.PREFIX)).toList();
    checks.foreignRemoves(keys);
    cluster.store.deleteObjects(keys);
  }
}
