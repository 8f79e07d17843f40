/**
 * Small documents that are written once: as objects, by a conditional PUT, or as files of a cluster
 * file system, by a rename. Begin with {@link io.zerorename.core.recordstore.RecordStore}.
 */
package io.zerorename.core.recordstore;
