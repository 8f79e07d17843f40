/**
 * The ordered commit log of a destination. An entry decides a job, resumes another entry, gives one
 * up or says what an engine has removed; a marker says how it ended. Begin with {@link
 * io.zerorename.core.log.CommitLog}, whose {@code write} is the decision. Uses the files of
 * manifests and uploads, and no stage of the commit.
 */
package io.zerorename.core.log;
