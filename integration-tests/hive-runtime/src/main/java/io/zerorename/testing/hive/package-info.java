/** A real Hive in one JVM, for tests and for the demo. */
package io.zerorename.testing.hive;
