package io.zerorename.cli.command;

import java.io.IOException;

/** A command that is not only a group of others. */
public interface Subcommand {
  /**
   * Runs the command.
   *
   * @throws InputException if the user's input is wrong
   * @throws IOException if the command failed; the message, which is all that the user sees, says
   *     what happened to which object, why, and what to do
   */
  ExitCode run(Session session) throws IOException;
}
