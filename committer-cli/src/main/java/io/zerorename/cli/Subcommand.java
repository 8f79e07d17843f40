package io.zerorename.cli;

import java.io.IOException;

/** A command of {@code zerorename}, whose fields picocli fills from the command line. */
interface Subcommand {
  /**
   * Runs the command.
   *
   * @throws InputException if the user's input is wrong
   * @throws IOException if the command failed; the message, which is all that the user sees, says
   *     what happened to which object, why, and what to do
   */
  ExitCode run(Session session) throws IOException;
}
