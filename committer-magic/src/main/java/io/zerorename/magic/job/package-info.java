/**
 * The life of a MapReduce or Tez output, which the committers of both of Hadoop's APIs share. Not
 * for users.
 */
package io.zerorename.magic.job;
