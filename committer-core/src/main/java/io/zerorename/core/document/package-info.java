/**
 * Versioned documents of strict JSON: entries of the log, plans, records, and the manifest of a
 * task attempt, which says what job commit makes visible if it chooses the attempt. Begin with
 * {@link io.zerorename.core.document.VersionedJson}.
 */
package io.zerorename.core.document;
