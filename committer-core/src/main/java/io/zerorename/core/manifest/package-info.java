/**
 * The manifest of a task attempt: which files job commit makes visible if it chooses the attempt.
 * Begin with {@link io.zerorename.core.manifest.TaskManifest}.
 */
package io.zerorename.core.manifest;
