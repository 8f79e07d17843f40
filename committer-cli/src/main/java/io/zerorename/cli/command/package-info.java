/** What every command has: its session, output, exit codes, and how it prints. */
package io.zerorename.cli.command;
