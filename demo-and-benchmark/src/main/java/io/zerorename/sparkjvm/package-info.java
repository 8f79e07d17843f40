/** A Spark in a JVM of its own, for the demo and the benchmark. */
package io.zerorename.sparkjvm;
