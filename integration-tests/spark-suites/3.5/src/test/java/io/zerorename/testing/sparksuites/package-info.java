/** Runs Spark's own test suites on S3A, with Spark's commit protocol and with ours. */
package io.zerorename.testing.sparksuites;
