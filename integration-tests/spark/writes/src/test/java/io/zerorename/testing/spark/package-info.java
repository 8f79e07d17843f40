/** Spark jobs that write to S3. */
package io.zerorename.testing.spark;
