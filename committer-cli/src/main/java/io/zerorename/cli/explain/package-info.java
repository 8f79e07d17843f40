/** What needs Hive: {@code zerorename explain}, and the names of tables in place of paths. */
package io.zerorename.cli.explain;
