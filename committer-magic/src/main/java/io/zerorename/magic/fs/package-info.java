/**
 * The pending file system: any record writer writes through it to an object's final key, and the
 * object stays invisible until job commit.
 */
package io.zerorename.magic.fs;
