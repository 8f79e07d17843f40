/** The committer of Hadoop's new API, {@code mapreduce}, and what makes jobs use it. */
package io.zerorename.magic.mapreduce;
