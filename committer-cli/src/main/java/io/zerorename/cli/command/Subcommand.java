package io.zerorename.cli.command;

import java.io.IOException;

/** A command that does something, as opposed to one that only groups others. */
public interface Subcommand {
  /**
   * Does it, and tells by the session's output what was found. Options hold what the user has
   * typed.
   *
   * @return how it ended
   * @throws InputException where it cannot be done with what the user has typed
   * @throws IOException where it could not be done; the message, which is all that the user sees,
   *     says what happened, to which object, why, and what to do
   */
  ExitCode run(Session session) throws IOException;
}
