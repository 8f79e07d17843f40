/** Hadoop's local file system as a cluster has it: without a process for each permission. */
package io.zerorename.testing.localfs;
