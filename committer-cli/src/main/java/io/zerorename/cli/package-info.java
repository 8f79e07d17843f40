/** What an operator runs by hand: the commands of {@code bin/zerorename}. */
package io.zerorename.cli;
