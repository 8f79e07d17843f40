package io.zerorename.core.log;

/**
 * An entry of a log that a process executes, with its plan. Another process may end it meanwhile.
 */
public record OpenEntry(CommitLog log, LogEntry entry, CommitPlan plan) {}
