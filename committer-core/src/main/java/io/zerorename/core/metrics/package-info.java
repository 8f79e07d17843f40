/** What the committer counts, for JMX. */
package io.zerorename.core.metrics;
