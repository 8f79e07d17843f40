package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;

/**
 * What is kept of a commit that was brought to its end.
 *
 * @param files made visible
 * @param bytes in those files
 * @param replaced old objects deleted
 * @param givenUp whether an operator has ended it with files lost
 */
record CommitSummary(int files, long bytes, int replaced, boolean givenUp) {
  private static final VersionedJson JSON =
      new VersionedJson("note of a commit's end", 1, "It was damaged after the commit had ended.");

  static CommitSummary of(CommitPlan plan) {
    return new CommitSummary(plan.fileCount(), plan.bytes(), plan.replacedCount(), false);
  }

  byte[] toJson() throws IOException {
    return JSON.write(
        json -> {
          json.writeNumberField("files", files);
          json.writeNumberField("bytes", bytes);
          json.writeNumberField("replaced", replaced);
          json.writeBooleanField("givenUp", givenUp);
        });
  }

  static CommitSummary read(byte[] document, String where) throws IOException {
    return JSON.read(
        document,
        where,
        root ->
            new CommitSummary(
                Math.toIntExact(JsonFields.number(root, "files")),
                JsonFields.number(root, "bytes"),
                Math.toIntExact(JsonFields.number(root, "replaced")),
                JsonFields.flag(root, "givenUp")));
  }
}
