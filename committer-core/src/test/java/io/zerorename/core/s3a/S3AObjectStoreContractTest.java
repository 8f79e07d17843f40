package io.zerorename.core.s3a;

/** S3A's client keeps the store's contract. */
class S3AObjectStoreContractTest extends EmbeddedServerContract {}
