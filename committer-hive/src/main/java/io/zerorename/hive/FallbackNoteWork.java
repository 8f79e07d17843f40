package io.zerorename.hive;

import java.io.Serializable;
import org.apache.hadoop.hive.ql.plan.Explain;
import org.apache.hadoop.hive.ql.plan.Explain.Level;

/**
 * What EXPLAIN shows of a fallback. It is public only because EXPLAIN reads it by reflection.
 *
 * @param reason the name of the reason
 * @param sentence the reason in words
 */
@Explain(
    displayName = "Zero-Rename Commit",
    explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
public record FallbackNoteWork(
    @Explain(
            displayName = "not used",
            explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
        String reason,
    @Explain(
            displayName = "because",
            explainLevels = {Level.USER, Level.DEFAULT, Level.EXTENDED})
        String sentence)
    implements Serializable {}
