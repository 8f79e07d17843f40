package io.zerorename.demo;

import java.util.regex.Pattern;

/**
 * A way to commit the statement.
 *
 * @param key its name in report.json
 * @param shortTitle for the heads of ratios in a terminal
 * @param table its table, of which the directory in the bucket has the same name
 * @param isOurs whether it is the committer's
 * @param objects the names, below the table, of all that may lie there
 * @param says what the committer must say, which may be nothing
 */
record Way(
    String key,
    String title,
    String shortTitle,
    String table,
    boolean isOurs,
    Pattern objects,
    Pattern says) {}
