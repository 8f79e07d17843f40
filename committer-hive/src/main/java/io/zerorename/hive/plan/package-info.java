/**
 * Reads a plan of Hive and decides whether the committer takes its INSERT. Begin with {@code
 * Eligibility}; a reason against is a {@code FallbackReason}. Changes no plan.
 */
package io.zerorename.hive.plan;
