/** The statements of the support matrix, for each Hive that runs them. */
package io.zerorename.testing.statements;
