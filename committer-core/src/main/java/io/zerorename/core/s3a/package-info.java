/** The object store seam on S3A's own client and request settings. */
package io.zerorename.core.s3a;
