/**
 * An embedded S3 server for tests and the demo, behind a gateway that counts requests, delays them
 * and makes them fail on demand.
 */
package io.zerorename.testing.s3server;
