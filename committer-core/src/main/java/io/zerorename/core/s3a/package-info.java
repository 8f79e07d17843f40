/**
 * The interface to S3 on S3A's own client, with S3A's settings of requests. Begin with {@link
 * io.zerorename.core.s3a.S3AObjectStores} and {@code S3AFailures}.
 */
package io.zerorename.core.s3a;
