package io.zerorename.cli;

import io.zerorename.cli.command.Units;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recovery.RecoverEntry;
import io.zerorename.core.store.ErrorText;
import java.io.IOException;
import java.util.Optional;

/**
 * Reports what a recovery would do with each entry of a log that has not ended. It changes nothing.
 * One listing, one request for each such entry, and one for each chunk of its plan.
 */
record RecoveryPreview(RecoverEntry recover, RecoveryReport report) {
  void run() throws IOException {
    LogTail tail = recover.log().tail();
    for (long number : tail.open()) {
      try {
        Optional<LogEntry> entry = recover.log().read(number, tail);
        if (entry.filter(it -> it.kind().commits()).isPresent()) {
          plan(entry.get(), tail);
        }
      } catch (MalformedManifestException e) {
        report.plan(
            number,
            "",
            "unreadable",
            "Entry %s: could not be completed: %s".formatted(number, ErrorText.of(e)),
            0,
            0);
      }
    }
  }

  private void plan(LogEntry entry, LogTail tail) throws IOException {
    CommitPlan plan = recover.log().plan(entry);
    Optional<String> refusal = recover.refusal(plan, false);
    if (refusal.isPresent()) {
      plan(entry, "refuse", "would be refused: " + refusal.get(), 0, 0);
    } else if (tail.state(entry.number()) == EntryState.METASTORE_OPEN
        && !recover.engine().hasMetastore()) {
      plan(
          entry,
          "leave-to-hive",
          "would be left to Hive: its files are in place, and the next INSERT registers its"
              + " partitions; --without-metastore ends it.",
          plan.fileCount(),
          plan.replacedCount());
    } else {
      plan(
          entry,
          "complete",
          ("would be completed: as far as they are not visible yet, %s completed; then, as far as"
                  + " they are unchanged, %s deleted.")
              .formatted(
                  Units.count(plan.fileCount(), "upload"),
                  Units.count(plan.replacedCount(), "old object")),
          plan.fileCount(),
          plan.replacedCount());
    }
  }

  private void plan(LogEntry entry, String result, String text, int uploads, int replaced) {
    String id = entry.job().id();
    String description = entry.job().description();
    // Descriptions of Spark's jobs have the id.
    String job = description.contains(id) ? description : "job " + id + ", " + description;
    report.plan(
        entry.number(),
        id,
        result,
        "Entry %s, %s: %s".formatted(entry.number(), job, text),
        uploads,
        replaced);
  }
}
