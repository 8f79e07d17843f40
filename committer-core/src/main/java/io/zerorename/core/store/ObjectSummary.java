package io.zerorename.core.store;

import java.time.Instant;

/**
 * An object as a listing shows it.
 *
 * @param size in bytes
 * @param etag as the store returned it, quotes included
 */
public record ObjectSummary(String key, long size, String etag, Instant lastModified) {}
