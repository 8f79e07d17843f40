/** Tez DAGs for tests, on the YARN of the MapReduce tests or in the JVM of the test. */
package io.zerorename.testing.tez;
