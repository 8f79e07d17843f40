/** What the committer counts, for JMX and for Hadoop's metrics system. */
package io.zerorename.core.metrics;
