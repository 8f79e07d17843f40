/** Runs q-files of Hive's own tests on S3A, on Hive's own path and through the committer. */
package io.zerorename.qfiles;
