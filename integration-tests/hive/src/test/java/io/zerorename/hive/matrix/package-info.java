/** Statements, formats and engines: what is committed, and what keeps Hive's own path. */
package io.zerorename.hive.matrix;
