/** Stores, servers and counters for the tests of all modules. */
package io.zerorename.testing;
