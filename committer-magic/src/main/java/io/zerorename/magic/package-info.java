/** The committer's counters among those of a MapReduce job. */
package io.zerorename.magic;
