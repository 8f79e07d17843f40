/** Processes that tests start and kill. */
package io.zerorename.testing.process;
