/** The task's side: from a record writer's bytes to a pending upload. */
package io.zerorename.core.upload;
