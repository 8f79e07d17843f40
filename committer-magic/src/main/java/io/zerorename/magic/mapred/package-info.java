/** The committer of Hadoop's old API, {@code mapred}. */
package io.zerorename.magic.mapred;
