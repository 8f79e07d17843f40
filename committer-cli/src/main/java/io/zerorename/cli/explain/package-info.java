/**
 * {@code zerorename explain}, and the names of tables in place of paths. The only package of the
 * commands that needs Hive.
 */
package io.zerorename.cli.explain;
