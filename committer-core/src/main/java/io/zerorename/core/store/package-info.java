/** The object store seam: what the committer asks of S3, and nothing more. */
package io.zerorename.core.store;
