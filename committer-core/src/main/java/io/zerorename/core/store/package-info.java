/**
 * The interface to S3: which requests the committer sends, and what each failure proves. Begin with
 * {@link io.zerorename.core.store.ObjectStore}.
 */
package io.zerorename.core.store;
