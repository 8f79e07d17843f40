/**
 * Decides whether an INSERT falls back to Hive's own rename path. Begin with {@code Eligibility},
 * which throws {@code Fallback} with a {@code FallbackReason}; {@code FailInsteadOfFallback} says
 * whether the statement fails instead. {@code StatementRewrite} finds out afterwards whether a
 * commit log can be kept. Changes no plan.
 */
package io.zerorename.hive.fallback;
