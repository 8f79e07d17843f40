/** What users can set for S3A, and what of it must leave with our requests. */
package io.zerorename.testing.s3a;
