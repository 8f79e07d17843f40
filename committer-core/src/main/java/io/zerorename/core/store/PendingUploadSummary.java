package io.zerorename.core.store;

import java.time.Instant;

/** A pending upload as a listing shows it. */
public record PendingUploadSummary(String key, String uploadId, Instant initiated) {}
