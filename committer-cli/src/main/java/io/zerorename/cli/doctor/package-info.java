/** {@code zerorename doctor}: whether a cluster is set up for the committer. */
package io.zerorename.cli.doctor;
