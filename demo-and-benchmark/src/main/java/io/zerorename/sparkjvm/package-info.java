/** The committers with which the demo and the benchmark run a Spark in a JVM of its own. */
package io.zerorename.sparkjvm;
