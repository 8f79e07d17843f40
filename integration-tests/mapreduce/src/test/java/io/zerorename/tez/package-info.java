/** Tez's DAGs commit to S3 through Hadoop's committers. */
package io.zerorename.tez;
