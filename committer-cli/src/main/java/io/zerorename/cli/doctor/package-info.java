/**
 * {@code zerorename doctor}: whether a cluster is set up for the committer. Begin with {@code
 * DoctorCommand}. The checks are grouped by subject.
 */
package io.zerorename.cli.doctor;
