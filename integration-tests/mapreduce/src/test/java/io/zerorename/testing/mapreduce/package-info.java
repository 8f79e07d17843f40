/** A YARN and an HDFS for tests, with an S3 server beside them, and what jobs on them leave. */
package io.zerorename.testing.mapreduce;
