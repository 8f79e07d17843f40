/** {@code zerorename explain}: whether a statement of Hive's would use the committer. */
package io.zerorename.cli.explain;
