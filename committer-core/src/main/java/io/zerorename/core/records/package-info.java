/**
 * Small documents that are written once: as objects, by a conditional PUT, or as files of a cluster
 * file system, by a rename. Begin with {@link io.zerorename.core.records.RecordStore}.
 */
package io.zerorename.core.records;
