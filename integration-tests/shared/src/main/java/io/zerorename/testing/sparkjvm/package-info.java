/** A Spark in a JVM of its own, for modules that cannot have its class path. */
package io.zerorename.testing.sparkjvm;
