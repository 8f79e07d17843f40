/**
 * What runs in the tasks: the output format that the rewritten plan names, and its writers. Begin
 * with {@code PendingOutputFormat}.
 */
package io.zerorename.hive.write;
