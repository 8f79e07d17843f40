/**
 * What an operator runs by hand: the commands of {@code bin/zerorename}. Begin with {@code
 * ZeroRename}, which lists them.
 */
package io.zerorename.cli;
