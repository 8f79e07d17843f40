/** Hadoop bindings: a file system, and committers for MapReduce and Tez jobs. */
package io.zerorename.magic;
