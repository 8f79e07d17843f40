/** Reads the records that successful jobs leave at their destination, and shows them. */
package io.zerorename.cli.report;
