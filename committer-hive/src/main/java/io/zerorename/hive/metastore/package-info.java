/**
 * Tables, partitions, their statistics and events, as the metastore has them. Knows nothing of
 * Hive's plans.
 */
package io.zerorename.hive.metastore;
