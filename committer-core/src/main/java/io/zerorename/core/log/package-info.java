/**
 * The ordered commit log of a destination. An entry decides a job, or a statement by which an
 * engine has removed files itself. A marker says how far an entry is. Begin with {@link
 * io.zerorename.core.log.CommitLog}: its {@code decide} writes the entry by a conditional PUT,
 * which is the decision. Uses the files of manifests and uploads, and no stage of the commit.
 */
package io.zerorename.core.log;
