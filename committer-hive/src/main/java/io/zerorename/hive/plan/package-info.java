/**
 * Reads a plan of Hive and decides whether the committer takes its INSERT. Begin with {@code
 * Eligibility}, which throws {@code NotEligible} with a {@code FallbackReason}. Whether a log can
 * be kept is found out afterwards, by {@code StatementRewrite}. Changes no plan.
 */
package io.zerorename.hive.plan;
