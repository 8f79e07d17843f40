/** Reads a plan of Hive: its tasks, the outputs that it writes to S3, and the INSERT of each. */
package io.zerorename.hive.plan;
