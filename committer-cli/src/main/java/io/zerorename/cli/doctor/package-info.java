/**
 * The checks of {@code zerorename doctor}: whether a cluster is set up for the committer. Begin
 * with {@code ClusterChecks} and {@code BucketChecks}.
 */
package io.zerorename.cli.doctor;
