/**
 * The pending file system: any record writer writes through it to an object's final key, and the
 * object stays invisible until job commit. Begin with {@link
 * io.zerorename.magic.fs.PendingSession}, which an attempt opens, and {@code PendingFile}.
 */
package io.zerorename.magic.fs;
