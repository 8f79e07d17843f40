package io.zerorename.core.commit;

import io.zerorename.core.upload.PendingUpload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** What is known of a plan without reading it again; grows with its tasks and directories only. */
final class PlanTotals {
  private final Map<String, Integer> uploadsOfAttempts = new HashMap<>();
  private final Set<Path> directories = new HashSet<>();
  private int files;
  private int inlined;
  private long bytes;
  private int replaced;

  void add(PlanPart part) {
    part.files()
        .forEach(
            file -> {
              files++;
              bytes += file.length();
              directories.add(file.destination().getParent());
            });
    for (PendingUpload upload : part.uploads()) {
      uploadsOfAttempts.merge(upload.taskAttemptId(), 1, Integer::sum);
    }
    inlined += part.inlined().size();
    replaced += part.replaced().size();
  }

  int files() {
    return files;
  }

  int inlined() {
    return inlined;
  }

  long bytes() {
    return bytes;
  }

  int replaced() {
    return replaced;
  }

  int directories() {
    return directories.size();
  }

  int uploadsOf(String taskAttemptId) {
    return uploadsOfAttempts.getOrDefault(taskAttemptId, 0);
  }
}
