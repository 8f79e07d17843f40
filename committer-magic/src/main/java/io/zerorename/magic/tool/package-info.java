/** What an operator runs by hand. */
package io.zerorename.magic.tool;
