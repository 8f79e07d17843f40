/**
 * The task's side: from a record writer's bytes to a pending upload or an inlined file. Begin with
 * {@link io.zerorename.core.upload.UploadStream} and {@code UploadRequests}.
 */
package io.zerorename.core.upload;
