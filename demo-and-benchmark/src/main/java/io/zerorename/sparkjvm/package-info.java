/** The committers that a Spark in a JVM of its own is compared with, in the demo and the benchmark. */
package io.zerorename.sparkjvm;
