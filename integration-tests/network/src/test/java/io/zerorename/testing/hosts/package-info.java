/** Drivers and executors on hosts whose links are cut while they commit. */
package io.zerorename.testing.hosts;
