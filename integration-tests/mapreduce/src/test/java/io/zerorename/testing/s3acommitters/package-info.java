/** Hadoop's own tests of S3A's committers, run with ours. */
package io.zerorename.testing.s3acommitters;
