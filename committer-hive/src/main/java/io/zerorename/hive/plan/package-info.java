/**
 * Reads a plan of Hive: its tasks, the outputs that it writes to S3, and the INSERT of each. Begin
 * with {@link io.zerorename.hive.plan.PlanReader}.
 */
package io.zerorename.hive.plan;
